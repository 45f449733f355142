import type { Counting } from '../../../common/lists/counted-periods.js';
import { sql } from '../../../common/database/sql/sql.js';

const IS_IN_INDEX = sql`"status" <> 'DELIVERED'`;

/**
 * Counts all messages of each hour by the primary key, and PENDING and CANCELLED messages by the index of these two states. An
 * index that includes DELIVERED messages would add a write to every delivery. Exported so that a test can check its query plan.
 */
export const messagesCounted = (): Counting => ({
  table: '"Message"',
  by: { column: '"pushId"', holds: 'ids' },
  counts: [[], [IS_IN_INDEX, sql`"status" = 'PENDING'`], [IS_IN_INDEX, sql`"status" = 'CANCELLED'`]],
});
