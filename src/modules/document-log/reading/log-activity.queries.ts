import { type Counted, type Counting, countPeriods } from '../../../common/activity/counted-periods.js';
import { DAYS } from '../../../common/activity/periods.js';
import type { Database } from '../../../common/database/database.js';
import { sql } from '../../../common/database/sql/sql.js';

/** Counts the records of each day by the index on tenant and dateTime. Exported for a test of its plan. */
export function recordsCounted(tenantId: string): Counting {
  return {
    table: '"Log"',
    tenant: sql`"tenantId" = ${tenantId}`,
    by: { column: '"dateTime"', holds: 'times' },
    counts: [[]],
  };
}

export const countRecords = (database: Database, tenantId: string, starts: number[]): Promise<Counted> =>
  countPeriods(database, recordsCounted(tenantId), { starts, kind: DAYS });
