import type { Counting } from '../../../common/lists/counted-periods.js';

/** Counts the records of each day by the index on tenant and dateTime. Exported for a test of its plan. */
export const recordsCounted = (): Counting => ({
  table: '"Log"',
  by: { column: '"dateTime"', holds: 'times' },
  counts: [[]],
});
