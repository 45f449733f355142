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
    description: 'The sums over all files of the tenant; answered in constant time.',
  })
  storageUsed(@CurrentCaller() caller: Caller): Promise<StorageUsed> {
    return this.usage.used(caller);
  }

  @MaxItems(MAX_SAMPLES, { counted: 100 })
  @Cheap()
  @Query(() => [StorageSample], {
    nullable: 'itemsAndList',
    description:
      'The sums over all files of the tenant in the last days, oldest first; the last sample has the current sums. A sample is ' +
      `taken at the start of an hour if the sums have changed since the sample before, and after ${asHours(KEEP_HOURLY_MS)} hours ` +
      'the last sample of each day is kept, so each sample is valid until the next. The first sample is of the start of the ' +
      'period, if its sums are known.',
  })
  storageHistory(
    @CurrentCaller() caller: Caller,
    @Args('days', {
      type: () => Int,
      nullable: true,
      description: `How many days, 1 to ${MAX_HISTORY_DAYS}; ${DEFAULT_HISTORY_DAYS} by default.`,
    })
    days: number | null,
  ): Promise<StorageSample[]> {
    return this.usage.history(caller, days ?? null);
  }
}
