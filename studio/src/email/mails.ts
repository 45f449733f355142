import type { EmailMessagesFilter, EmailStatus } from '../../../clients/js/src/generated/email';
import type { EmailMessage } from '../../../clients/js/src/generated/email';
import type { Selected } from '../../../clients/js/src/selection';
import type { Right } from '../api/scope';

const ADDRESS = { address: true, name: true } as const;

/** Fields of a mail in the outbox. */
export const ROW = {
  id: true,
  status: true,
  subject: true,
  createdAt: true,
  sendAt: true,
  attempts: true,
  lastError: true,
  from: ADDRESS,
  to: ADDRESS,
} as const;

/** Fields of a mail on its own page. Its content is read separately, once. */
export const MAIL = {
  ...ROW,
  sentAt: true,
  nextAttemptAt: true,
  messageId: true,
  from: ADDRESS,
  cc: ADDRESS,
  bcc: ADDRESS,
  recipients: {
    address: true,
    attempts: true,
    bounce: { at: true, code: true, diagnostic: true, kind: true },
    kind: true,
    lastError: true,
    name: true,
    status: true,
    suppressed: true,
  },
  tags: { name: true, value: true },
} as const;

export const CONTENT = {
  content: {
    html: true,
    text: true,
    attachments: { name: true, contentType: true, size: true, fileId: true, contentId: true },
    headers: { name: true, value: true },
  },
} as const;

export type Row = Selected<EmailMessage, typeof ROW>;
export type Mail = Selected<EmailMessage, typeof MAIL>;
export type Content = NonNullable<Selected<EmailMessage, typeof CONTENT>['content']>;
export type Recipient = NonNullable<Mail['recipients']>[number];
export type Bounce = NonNullable<Recipient['bounce']>;
export type Tag = NonNullable<Mail['tags']>[number];
export type Address = NonNullable<Mail['from']>;

/** Returns whether a mail is scheduled. */
export const isScheduled = ({ status, sendAt, attempts }: Pick<Row, 'status' | 'sendAt' | 'attempts'>): boolean =>
  status === 'QUEUED' && sendAt !== null && attempts === 0;

const SOON_MS = 20_000;

/** Returns whether the state of a mail may change at any moment. */
export const isOnItsWay = (mail: Row): boolean =>
  mail.status === 'QUEUED' && !(isScheduled(mail) && Date.parse(mail.sendAt!) > Date.now() + SOON_MS);

export const MAY_LIST: Right = ['email', 'query', 'messages'];
export const MAY_READ_SOURCE: Right = ['email', 'query', 'messageSource'];
export const MAY_SEND: Right = ['email', 'mutation', 'sendMessage'];
export const MAY_CANCEL: Right = ['email', 'mutation', 'cancelMessage'];
export const MAY_RESCHEDULE: Right = ['email', 'mutation', 'rescheduleMessage'];
export const MAY_SEND_NOW: Right = ['email', 'mutation', 'sendMessageNow'];
export const MAY_LIST_SENDERS: Right = ['email', 'query', 'emailIdentities'];
export const MAY_VERIFY: Right = ['email', 'mutation', 'verifyEmailIdentity'];
export const MAY_DELETE_SENDER: Right = ['email', 'mutation', 'deleteEmailIdentity'];
export const MAY_LIST_DOMAINS: Right = ['email', 'query', 'emailDomains'];
export const MAY_CREATE_DOMAIN: Right = ['email', 'mutation', 'createEmailDomain'];
export const MAY_CHECK_DOMAIN: Right = ['email', 'mutation', 'checkEmailDomain'];
export const MAY_ROTATE_DOMAIN: Right = ['email', 'mutation', 'rotateEmailDomainKeys'];
export const MAY_DELETE_DOMAIN: Right = ['email', 'mutation', 'deleteEmailDomain'];
export const MAY_LIST_SUPPRESSIONS: Right = ['email', 'query', 'suppressions'];
export const MAY_ADD_SUPPRESSIONS: Right = ['email', 'mutation', 'createSuppressions'];
export const MAY_REMOVE_SUPPRESSIONS: Right = ['email', 'mutation', 'deleteSuppression'];

/** Filters of the outbox, as in its URL. */
export interface OutboxFilter {
  status?: string | undefined;
  /** `true` for scheduled ones. */
  scheduled?: string | undefined;
  /** Part of a subject or of an address. */
  contains?: string | undefined;
  id?: string | undefined;
  from?: string | undefined;
  until?: string | undefined;
  tag?: string | undefined;
  tagValue?: string | undefined;
}

/** Every URL parameter of the outbox filters. */
export const NO_FILTER: Readonly<Record<keyof OutboxFilter, undefined>> = {
  status: undefined,
  scheduled: undefined,
  contains: undefined,
  id: undefined,
  from: undefined,
  until: undefined,
  tag: undefined,
  tagValue: undefined,
};

export function apiFilter({
  status,
  scheduled,
  contains,
  id,
  from,
  until,
  tag,
  tagValue = '',
}: OutboxFilter): EmailMessagesFilter {
  return {
    ...(status && { status: status as EmailStatus }),
    ...(scheduled && { scheduled: true }),
    ...(contains && { contains }),
    ...(id && { id }),
    ...(tag && { tag: { name: tag, value: tagValue } }),
    ...((from || until) && { createdAt: { ...(from && { from }), ...(until && { to: until }) } }),
  };
}

/** Returns the path of the outbox with the mails of a tag. */
export const pathOfTag = ({ name, value }: Tag): string =>
  `/?${new URLSearchParams({ tag: name ?? '', ...(value && { tagValue: value }) }).toString()}`;
