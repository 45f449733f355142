import type { Counting } from '../../../common/lists/counted-periods.js';
import { sql } from '../../../common/database/sql/sql.js';

const IS_IN_INDEX = sql`"status" <> 'DELIVERED'`;

/**
 * Counts all messages per hour by the primary key, and PENDING and CANCELLED ones by their partial index. Indexing DELIVERED messages too
 * would add a write to every delivery. Exported for a query plan test.
 */
export const messagesCounted = (): Counting => ({
  table: '"Message"',
  by: { column: '"pushId"', holds: 'ids' },
  counts: [[], [IS_IN_INDEX, sql`"status" = 'PENDING'`], [IS_IN_INDEX, sql`"status" = 'CANCELLED'`]],
});
