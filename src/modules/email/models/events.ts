import { type EventKinds, SAMPLE_ID, SAMPLE_TIME } from '../../../common/events/outbox/event.js';

const readBy = ['messages'];

const PERSON = { address: 'ann@example.com', name: 'Ann' };
const RECIPIENT = { ...PERSON, kind: 'TO', status: 'SENT', attempts: 1, lastError: null, bounce: null, suppressed: null };
const MESSAGE = {
  id: SAMPLE_ID,
  messageId: `<${SAMPLE_ID}@shop.example>`,
  subject: 'Your order',
  attempts: 1,
  lastError: null,
  createdAt: SAMPLE_TIME,
  sentAt: SAMPLE_TIME,
  sendAt: null,
  list: 'orders',
  status: 'SENT',
  nextAttemptAt: null,
  from: { address: 'orders@shop.example', name: 'Shop' },
  to: [PERSON],
  cc: [],
  bcc: [],
  recipients: [RECIPIENT],
  tags: [],
};
const REFUSAL = 'ann@example.com: the mail server responded: 550 no such user here';
const FAILED = {
  ...MESSAGE,
  lastError: REFUSAL,
  sentAt: null,
  status: 'FAILED',
  recipients: [{ ...RECIPIENT, status: 'FAILED', lastError: REFUSAL }],
};
const UNSUBSCRIBED = {
  address: PERSON.address,
  reason: 'UNSUBSCRIBED',
  list: 'orders',
  createdAt: SAMPLE_TIME,
  expiresAt: null,
  messageId: SAMPLE_ID,
  diagnostic: null,
};

/** Returns the message with a report of a mail server on its recipient. */
function reported(kind: string, code: string | null, diagnostic: string | null) {
  const recipient = { ...RECIPIENT, bounce: { at: SAMPLE_TIME, kind, code, diagnostic } };
  return { subject: SAMPLE_ID, data: { ...MESSAGE, recipients: [recipient], recipient } };
}

function domain(status: string, lastError: string | null) {
  const records: object[] = [];
  const times = { createdAt: SAMPLE_TIME, verifiedAt: SAMPLE_TIME, checkedAt: SAMPLE_TIME, nextCheckAt: SAMPLE_TIME };
  return { subject: 'shop.example', data: { domain: 'shop.example', status, records, ...times, lastError } };
}

/** Events of mails. */
export const MAIL_EVENTS = {
  MESSAGE_SENT: {
    description: 'The mail server accepted a message for at least one recipient, and no recipient remains to be tried.',
    readBy,
    sample: { subject: SAMPLE_ID, data: MESSAGE },
  },
  RECIPIENT_DELAYED: {
    description: 'A mail server reported that it has not yet delivered a message to a recipient and is still retrying.',
    readBy,
    sample: reported('DELAYED', '4.4.1', 'connection refused'),
  },
  RECIPIENT_BOUNCED: {
    description:
      'A mail server reported that it could not deliver a message to a recipient; bounce contains the reason, and HARD or SOFT.',
    readBy,
    sample: reported('HARD', '5.1.1', '550 5.1.1 <ann@example.com>: no such user here'),
  },
  RECIPIENT_COMPLAINED: {
    description: 'A recipient reported a message as unwanted.',
    readBy,
    sample: reported('COMPLAINT', null, null),
  },
  RECIPIENT_UNSUBSCRIBED: {
    description: 'A recipient unsubscribed from a list by the link in a mail.',
    readBy: ['suppressions'],
    sample: { subject: SAMPLE_ID, data: UNSUBSCRIBED },
  },
  MESSAGE_FAILED: {
    description: 'A message reached no recipient: rejected, given up or cancelled; see lastError.',
    readBy,
    sample: { subject: SAMPLE_ID, data: FAILED },
  },
  DOMAIN_VERIFIED: {
    description: 'The records of a domain were found: from may be any of its addresses.',
    readBy: ['emailDomains'],
    sample: domain('VERIFIED', null),
  },
  DOMAIN_FAILED: {
    description: 'Records of a verified domain have been missing for some days: its addresses are no longer accepted as from.',
    readBy: ['emailDomains'],
    sample: domain('FAILED', 'the TXT record of DKIM at psmfrggzdf-rsa._domainkey.shop.example was not found'),
  },
} satisfies EventKinds;
