import { activityOf } from '../../../common/graphql/types/activity.js';
import { HOURS } from '../../../common/lists/periods.js';
import { EmailSchema } from '../../../common/graphql/types/schemas.js';

export const MessageActivity = activityOf(EmailSchema, {
  name: 'MessageActivity',
  what: 'messages',
  kind: HOURS,
  period: 'Number of messages accepted in one hour, by current status.',
  counts: { queued: 'Messages with status QUEUED.', sent: 'Messages with status SENT.', failed: 'Messages with status FAILED.' },
});
export type MessageActivity = InstanceType<typeof MessageActivity>;
