import type { TestingApi } from './testing-api.js';

/** Default wait. Shorter than the 5 s limit at which Jest and Vitest abort a test without naming the missing mail. */
const DEFAULT_TIMEOUT_MS = 4_000;
/** Maximum time for which the server holds one request. */
const MAX_WAIT_MS = 20_000;

export interface MailAddress {
  address: string;
  name: string | null;
}

export interface MailAttachment {
  name: string;
  contentType: string;
  /** Id by which the HTML body refers to it (cid:ID); null without one. */
  contentId: string | null;
  content: Uint8Array;
}

/** A sent mail. */
export interface Mail {
  /** Id returned by `sendMessage`. */
  id: string;
  messageId: string;
  date: Date;
  from: MailAddress;
  replyTo: MailAddress | null;
  to: MailAddress[];
  cc: MailAddress[];
  /** All recipients, including bcc. */
  recipients: string[];
  subject: string;
  html: string | null;
  text: string | null;
  attachments: MailAttachment[];
}

export interface MailsWanted {
  /** Only mails to this address, in any letter case. */
  to?: string;
}

export interface NextMailWanted extends MailsWanted {
  /** Time to wait; 4 s by default. */
  timeoutMs?: number;
}

interface StoredMail extends Omit<Mail, 'date' | 'attachments'> {
  number: number;
  date: string;
  attachments: (Omit<MailAttachment, 'content'> & { contentBase64: string })[];
}

/** Mails of one tenant, or of a whole server. */
export class Mails {
  /** Newest mail that `next` returned, by requested address. */
  private readonly seen = new Map<string, number>();

  constructor(
    private readonly api: TestingApi,
    private readonly tenantId?: string,
  ) {}

  async all({ to }: MailsWanted): Promise<Mail[]> {
    return (await this.find({ to })).map(mailOf);
  }

  async next({ to, timeoutMs = DEFAULT_TIMEOUT_MS }: NextMailWanted): Promise<Mail> {
    const name = to?.toLowerCase() ?? '';
    for (const until = performance.now() + timeoutMs; ;) {
      const leftMs = Math.max(0, Math.round(until - performance.now()));
      const [mail] = await this.find({ to, after: this.seen.get(name) ?? 0, waitMs: Math.min(leftMs, MAX_WAIT_MS) });
      if (mail) {
        this.seen.set(name, mail.number);
        return mailOf(mail);
      }
      if (leftMs === 0) throw new Error(await this.missing(to, timeoutMs));
    }
  }

  private async find(wanted: { to?: string; after?: number; waitMs?: number }): Promise<StoredMail[]> {
    const { mails } = await this.api.get<{ mails: StoredMail[] }>('mails', { ...wanted, tenantId: this.tenantId });
    return mails;
  }

  /** Lists the mails found instead, so a misspelt address is seen at once. */
  private async missing(to: string | undefined, timeoutMs: number): Promise<string> {
    const others = [...new Set((await this.find({})).flatMap(({ recipients }) => recipients))];
    const heard = others.length === 0 ? 'no mail was sent' : `mails were sent to ${others.slice(-10).join(', ')}`;
    return `no new mail${to === undefined ? '' : ` to ${to}`} within ${timeoutMs} ms; ${heard}`;
  }
}

function mailOf({ id, messageId, date, from, replyTo, to, cc, recipients, subject, html, text, attachments }: StoredMail): Mail {
  return {
    id,
    messageId,
    date: new Date(date),
    from,
    replyTo,
    to,
    cc,
    recipients,
    subject,
    html,
    text,
    attachments: attachments.map(({ contentBase64, ...about }) => ({
      ...about,
      content: Uint8Array.from(atob(contentBase64), (character) => character.charCodeAt(0)),
    })),
  };
}
