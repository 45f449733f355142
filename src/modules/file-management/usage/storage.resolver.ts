import { Args, Int, Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../common/auth/caller.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { StorageSample, StorageUsed } from './storage.model.js';
import { MAX_SAMPLES, StorageUsageService } from './storage-usage.service.js';
import { Cheap } from '../../../common/scheduling/work-class.js';
import { asHours } from '../../../common/base/amounts.js';
import { DEFAULT_HISTORY_DAYS, KEEP_HOURLY_MS, MAX_HISTORY_DAYS } from '../models/limits.js';

@Resolver()
@AccessByScope('file-management')
export class StorageResolver {
  constructor(private readonly usage: StorageUsageService) {}

  @Cheap()
  @Query(() => StorageUsed, {
    nullable: true,
    description: 'Totals over all files of the tenant, in constant time.',
  })
  storageUsed(@CurrentCaller() caller: Caller): Promise<StorageUsed> {
    return this.usage.used(caller);
  }

  @MaxItems(MAX_SAMPLES, { counted: 100 })
  @Cheap()
  @Query(() => [StorageSample], {
    nullable: 'itemsAndList',
    description:
      'Totals over all files of the tenant in the last days, oldest first; the last sample is the current state. A sample is ' +
      `taken hourly if the totals have changed. After ${asHours(KEEP_HOURLY_MS)} hours ` +
      'only the last sample of each day is stored. Each sample is valid until the next. The first is for the start of the ' +
      'period, if known.',
  })
  storageHistory(
    @CurrentCaller() caller: Caller,
    @Args('days', {
      type: () => Int,
      nullable: true,
      description: `Number of days, 1 to ${MAX_HISTORY_DAYS}; ${DEFAULT_HISTORY_DAYS} by default.`,
    })
    days: number | null,
  ): Promise<StorageSample[]> {
    return this.usage.history(caller, days ?? null);
  }
}
