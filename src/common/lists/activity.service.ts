import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller.js';
import { Database } from '../database/database.js';
import type { Dialect } from '../database/sql/dialect.js';
import { type Counted, type Counting, countPeriods } from './counted-periods.js';
import { type PeriodKind, startsOf } from './periods.js';

/** Counts the data of a tenant by period, for charts. */
@Injectable()
export class ActivityService {
  constructor(private readonly database: Database) {}

  /** Counts the last `wanted` periods, including the current one. @throws BAD_USER_INPUT for a number out of bounds */
  count(
    { tenantId }: Caller,
    countingOf: (dialect: Dialect) => Counting,
    { kind, wanted }: { kind: PeriodKind; wanted: number | null },
  ): Promise<Counted> {
    const counting = countingOf(this.database.dialect);
    return countPeriods(this.database.of(tenantId), counting, { starts: startsOf(kind, wanted), kind });
  }
}
