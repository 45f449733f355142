import type { EventKinds } from '../../../common/events/outbox/event.js';

const readBy = ['messages'];

/** The events of mails. */
export const MAIL_EVENTS = {
  MESSAGE_SENT: {
    description: 'The mail server took a message for at least one recipient, and none is left to be tried.',
    readBy,
  },
  MESSAGE_FAILED: { description: 'A message reached no recipient: refused, given up or cancelled; lastError says why.', readBy },
} satisfies EventKinds;
