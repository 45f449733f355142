// Room: Storage of a tenant, now and over time.
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { badInput } from '../../../common/base/app-error.js';
import type { StorageSample, StorageUsed } from './storage.model.js';
import { daysBefore, historyStatement, SAMPLE } from './storage-samples.queries.js';
import { DEFAULT_HISTORY_DAYS, MAX_HISTORY_DAYS } from '../models/limits.js';

/** Maximum number of samples of a history: 400 days, 48 hours and the current time, with room for days not thinned yet. */
export const MAX_SAMPLES = 500;

/** Reads a tenant's storage totals, current and past. */
@Injectable()
export class StorageUsageService {
  constructor(private readonly database: Database) {}

  /** Returns the current totals in constant time, since triggers maintain them. */
  async used({ tenantId }: Caller): Promise<StorageUsed> {
    const { _sum: sum } = await this.database.of(tenantId).fileUsage.aggregate({
      _sum: { fileCount: true, fileSize: true, billableFileSize: true },
    });
    return {
      fileCount: Number(sum.fileCount ?? 0),
      fileSize: Number(sum.fileSize ?? 0),
      billableFileSize: Number(sum.billableFileSize ?? 0),
    };
  }

  /** Returns samples, oldest first. The first is for the start of the period, if known; the last is the current state. */
  async history(caller: Caller, days: number | null): Promise<StorageSample[]> {
    if (days !== null && (days < 1 || days > MAX_HISTORY_DAYS)) throw badInput('days', `must be from 1 to ${MAX_HISTORY_DAYS}`);
    const { tenantId } = caller;
    const now = new Date();
    const since = daysBefore(now, days ?? DEFAULT_HISTORY_DAYS);
    const statement = historyStatement(this.database.dialect, { tenantId, since, until: now, limit: MAX_SAMPLES - 1 });
    const samples = (await this.database.of(tenantId).$rows(SAMPLE, statement)).toReversed();
    const [first] = samples;
    if (first && first.at < since) first.at = since;
    const { fileSize, fileCount } = await this.used(caller);
    return [...samples, { at: now, fileSize, fileCount }];
  }
}
