import type { Counting } from '../../../common/lists/counted-periods.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { sql } from '../../../common/database/sql/sql.js';

const STATES = ['QUEUED', 'SENT', 'FAILED'];

/**
 * Counts messages per hour and state by the indexes on tenant, id and state. The state is compared with a subquery: for a constant,
 * PostgreSQL would choose the smaller index of waiting messages, which is not ordered by id. Exported for a query plan test.
 */
export function messagesCounted(dialect: Dialect): Counting {
  return {
    table: '"Email"',
    by: { column: '"id"', holds: 'ids' },
    counts: STATES.map((status) => [sql`"status" = (SELECT ${dialect.enumValue(status, 'StoredEmailStatus')})`]),
  };
}
