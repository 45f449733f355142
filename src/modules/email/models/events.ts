import type { EventKinds } from '../../../common/events/outbox/event.js';

const readBy = ['messages'];

/** The events of mails. */
export const MAIL_EVENTS = {
  MESSAGE_SENT: {
    description: 'The mail server took a message for at least one recipient, and none is left to be tried.',
    readBy,
  },
  RECIPIENT_DELAYED: {
    description: 'A mail server reported that it has not delivered a message to a recipient yet, and still tries.',
    readBy,
  },
  RECIPIENT_BOUNCED: {
    description:
      'A mail server reported that it could not deliver a message to a recipient; bounce says why, and whether HARD or SOFT.',
    readBy,
  },
  RECIPIENT_COMPLAINED: { description: 'A recipient reported a message as unwanted.', readBy },
  RECIPIENT_UNSUBSCRIBED: {
    description: 'A recipient ended the mails of a list by the link in one of them.',
    readBy: ['suppressions'],
  },
  MESSAGE_FAILED: { description: 'A message reached no recipient: refused, given up or cancelled; lastError says why.', readBy },
  DOMAIN_VERIFIED: {
    description: 'The records of a domain were found: any address of it may be from.',
    readBy: ['emailDomains'],
  },
  DOMAIN_FAILED: {
    description: 'Records of a verified domain have been missing for some days: no address of it may be from any more.',
    readBy: ['emailDomains'],
  },
} satisfies EventKinds;
