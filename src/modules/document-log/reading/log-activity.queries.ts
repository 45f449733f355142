import { type Counted, type Counting, countPeriods } from '../../../common/activity/counted-periods.js';
import { DAYS } from '../../../common/activity/periods.js';
import type { Database } from '../../../common/database/database.js';

/** Counts the records of each day by the index on tenant and dateTime. Exported for a test of its plan. */
export const RECORDS_COUNTED: Counting = {
  table: '"Log"',
  by: { column: '"dateTime"', holds: 'times' },
  counts: [[]],
};

export const countRecords = (database: Database, tenantId: string, starts: number[]): Promise<Counted> =>
  countPeriods(database.of(tenantId), RECORDS_COUNTED, { starts, kind: DAYS });
