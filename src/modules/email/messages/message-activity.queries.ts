import type { Counting } from '../../../common/lists/counted-periods.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { sql } from '../../../common/database/sql/sql.js';

const STATES = ['QUEUED', 'SENT', 'FAILED'];

/**
 * Counts the messages of each hour by state, from the indexes on tenant, id and state. The condition on the state is a subquery:
 * with a constant, PostgreSQL would count QUEUED messages by the smaller index of waiting messages, which is not in the order of
 * ids. Exported so that a test can check its query plan.
 */
export function messagesCounted(dialect: Dialect): Counting {
  return {
    table: '"Email"',
    by: { column: '"id"', holds: 'ids' },
    counts: STATES.map((status) => [sql`"status" = (SELECT ${dialect.enumValue(status, 'StoredEmailStatus')})`]),
  };
}
