import type { EventKinds } from '../../../common/events/outbox/event.js';

const readBy = ['messages'];

/** Events of mails. */
export const MAIL_EVENTS = {
  MESSAGE_SENT: {
    description: 'The mail server accepted a message for at least one recipient, and no recipient remains to be tried.',
    readBy,
  },
  RECIPIENT_DELAYED: {
    description: 'A mail server reported that it has not yet delivered a message to a recipient and is still retrying.',
    readBy,
  },
  RECIPIENT_BOUNCED: {
    description:
      'A mail server reported that it could not deliver a message to a recipient; bounce contains the reason, and HARD or SOFT.',
    readBy,
  },
  RECIPIENT_COMPLAINED: { description: 'A recipient reported a message as unwanted.', readBy },
  RECIPIENT_UNSUBSCRIBED: {
    description: 'A recipient unsubscribed from a list by the link in a mail.',
    readBy: ['suppressions'],
  },
  MESSAGE_FAILED: { description: 'A message reached no recipient: rejected, given up or cancelled; see lastError.', readBy },
  DOMAIN_VERIFIED: {
    description: 'The records of a domain were found: from may be any of its addresses.',
    readBy: ['emailDomains'],
  },
  DOMAIN_FAILED: {
    description: 'Records of a verified domain have been missing for some days: its addresses are no longer accepted as from.',
    readBy: ['emailDomains'],
  },
} satisfies EventKinds;
