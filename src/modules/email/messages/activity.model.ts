import { activityOf } from '../../../common/graphql/types/activity.js';
import { HOURS } from '../../../common/lists/periods.js';
import { EmailSchema } from '../../../common/graphql/types/schemas.js';

export const MessageActivity = activityOf(EmailSchema, {
  name: 'MessageActivity',
  what: 'messages',
  kind: HOURS,
  period: 'The messages that were accepted in an hour, by their status now.',
  counts: { queued: 'Messages that are QUEUED.', sent: 'Messages that are SENT.', failed: 'Messages that are FAILED.' },
});
export type MessageActivity = InstanceType<typeof MessageActivity>;
