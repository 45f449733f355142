import type { Counting } from '../../../common/activity/counted-periods.js';
import { sql } from '../../../common/database/sql/sql.js';

const IS_IN_INDEX = sql`"status" <> 'DELIVERED'`;

/**
 * Counts all messages of each hour by the primary key, and those that are PENDING and CANCELLED by the index of these. An index
 * with the DELIVERED ones would cost every delivery a write. Exported for a test of its plan.
 */
export const messagesCounted = (): Counting => ({
  table: '"Message"',
  by: { column: '"pushId"', holds: 'ids' },
  counts: [[], [IS_IN_INDEX, sql`"status" = 'PENDING'`], [IS_IN_INDEX, sql`"status" = 'CANCELLED'`]],
});
