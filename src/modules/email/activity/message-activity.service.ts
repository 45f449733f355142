import { Injectable } from '@nestjs/common';
import { HOURS, startsOf } from '../../../common/activity/periods.js';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import type { MessageActivity } from '../models/activity.model.js';
import { countMessages } from './message-activity.queries.js';

/** Counts the messages of a tenant for charts. */
@Injectable()
export class MessageActivityService {
  constructor(private readonly database: Database) {}

  async byHour({ tenantId }: Caller, wanted: number | null): Promise<MessageActivity> {
    const { countedFrom, periods } = await countMessages(this.database, tenantId, startsOf(HOURS, wanted));
    const hours = periods.map(({ from, counts }) => ({ from, queued: counts[0]!, sent: counts[1]!, failed: counts[2]! }));
    return { countedFrom, hours };
  }
}
