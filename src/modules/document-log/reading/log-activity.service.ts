import { Injectable } from '@nestjs/common';
import { DAYS, startsOf } from '../../../common/activity/periods.js';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import type { LogActivity } from '../models/activity.model.js';
import { countRecords } from './log-activity.queries.js';

/** Counts the records of a tenant for charts. */
@Injectable()
export class LogActivityService {
  constructor(private readonly database: Database) {}

  async byDay({ tenantId }: Caller, wanted: number | null): Promise<LogActivity> {
    const { countedFrom, periods } = await countRecords(this.database, tenantId, startsOf(DAYS, wanted));
    return { countedFrom, days: periods.map(({ from, counts }) => ({ from, records: counts[0]! })) };
  }
}
