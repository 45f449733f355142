import type { Counting } from '../../../common/activity/counted-periods.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { sql } from '../../../common/database/sql/sql.js';

const STATES = ['QUEUED', 'SENT', 'FAILED'];

/**
 * Counts the messages of each hour by state, from the indexes on tenant, id and state. The state is a subquery, or PostgreSQL
 * would count QUEUED ones by the smaller index of those that wait, which is not in the order of ids. Exported for a test of its plan.
 */
export function messagesCounted(dialect: Dialect): Counting {
  return {
    table: '"Email"',
    by: { column: '"id"', holds: 'ids' },
    counts: STATES.map((status) => [sql`"status" = (SELECT ${dialect.enumValue(status, 'StoredEmailStatus')})`]),
  };
}
