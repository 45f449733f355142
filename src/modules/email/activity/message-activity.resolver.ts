import { Query, Resolver } from '@nestjs/graphql';
import { COUNTING, HOURS, Periods, MAX_COUNTED } from '../../../common/activity/periods.js';
import type { Caller } from '../../../common/auth/caller.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import { CurrentCaller } from '../../../common/graphql/access/caller.decorator.js';
import { MessageActivity } from '../models/activity.model.js';
import { MessageActivityService } from './message-activity.service.js';
import { Heavy, HEAVY_BOUNDS } from '../../../common/work/work-class.js';
import { asCount } from '../../../common/validation/amounts.js';

@Resolver()
@AccessByScope('email')
export class MessageActivityResolver {
  constructor(private readonly activity: MessageActivityService) {}

  @Heavy(COUNTING)
  @Query(() => MessageActivity, {
    nullable: true,
    description:
      `Counts messages by the hour of their createdAt and by their status now, up to the newest ${asCount(MAX_COUNTED)}. ` +
      `Messages that were removed do not count. ${HEAVY_BOUNDS}`,
  })
  messageActivity(@CurrentCaller() caller: Caller, @Periods(HOURS) hours: number | null): Promise<MessageActivity> {
    return this.activity.byHour(caller, hours);
  }
}
