import type { Counting } from '../../../common/lists/counted-periods.js';

/** Counts records per day by the index on tenant and dateTime. Exported for a query plan test. */
export const recordsCounted = (): Counting => ({
  table: '"Log"',
  by: { column: '"dateTime"', holds: 'times' },
  counts: [[]],
});
