import { Query, Resolver } from '@nestjs/graphql';
import { ActivityService } from '../../../common/lists/activity.service.js';
import { COUNTING, HOURS, MAX_COUNTED, Periods } from '../../../common/lists/periods.js';
import type { Caller } from '../../../common/auth/caller.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { messagesCounted } from './email-messages.queries.js';
import { Heavy, HEAVY_BOUNDS } from '../../../common/scheduling/work-class.js';
import { asCount } from '../../../common/base/amounts.js';
import { activityOf } from '../../../common/graphql/types/activity.js';
import { EmailSchema } from '../../../common/graphql/types/schemas.js';

const MessageActivity = activityOf(EmailSchema, {
  name: 'MessageActivity',
  what: 'messages',
  kind: HOURS,
  period: 'Number of messages accepted in one hour, by current status.',
  counts: { queued: 'Messages with status QUEUED.', sent: 'Messages with status SENT.', failed: 'Messages with status FAILED.' },
});
type MessageActivity = InstanceType<typeof MessageActivity>;

@Resolver()
@AccessByScope('email')
export class MessageActivityResolver {
  constructor(private readonly activity: ActivityService) {}

  @Heavy(COUNTING)
  @Query(() => MessageActivity, {
    nullable: true,
    description:
      `Counts messages per hour of createdAt and current status, up to the newest ${asCount(MAX_COUNTED)}. ` +
      `Excludes removed messages. ${HEAVY_BOUNDS}`,
  })
  async messageActivity(@CurrentCaller() caller: Caller, @Periods(HOURS) wanted: number | null): Promise<MessageActivity> {
    const { countedFrom, periods } = await this.activity.count(caller, messagesCounted, { kind: HOURS, wanted });
    const hours = periods.map(({ from, counts }) => ({ from, queued: counts[0]!, sent: counts[1]!, failed: counts[2]! }));
    return { countedFrom, hours };
  }
}
