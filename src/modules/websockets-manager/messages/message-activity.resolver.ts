import { Query, Resolver } from '@nestjs/graphql';
import { ActivityService } from '../../../common/lists/activity.service.js';
import { COUNTING, HOURS, MAX_COUNTED, Periods } from '../../../common/lists/periods.js';
import type { Caller } from '../../../common/auth/caller.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { MessageActivity } from './message.model.js';
import { messagesCounted } from './messages.queries.js';
import { Heavy, HEAVY_BOUNDS } from '../../../common/scheduling/work-class.js';
import { asCount } from '../../../common/base/amounts.js';

@Resolver()
@AccessByScope('websockets-manager')
export class MessageActivityResolver {
  constructor(private readonly activity: ActivityService) {}

  @Heavy(COUNTING)
  @Query(() => MessageActivity, {
    nullable: true,
    description:
      `Counts messages per hour of createdAt and current status, up to the newest ${asCount(MAX_COUNTED)}. Global ` +
      'messages count once per recipient they were sent to. Excludes removed messages. ' +
      `${HEAVY_BOUNDS}`,
  })
  async messageActivity(@CurrentCaller() caller: Caller, @Periods(HOURS) wanted: number | null): Promise<MessageActivity> {
    const { countedFrom, periods } = await this.activity.count(caller, messagesCounted, { kind: HOURS, wanted });
    const hours = periods.map(({ from, counts }) => {
      const [pending, delivered, cancelled] = counts as [number, number, number];
      return { from, pending, delivered, cancelled };
    });
    return { countedFrom, hours };
  }
}
