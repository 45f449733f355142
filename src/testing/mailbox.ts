import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import type { MailTransport, OutgoingMail } from '../modules/email/transport/mail-transport.js';

const MAX_KEPT = 10_000;
const MAX_KEPT_BYTES = 256 * 1024 * 1024;

interface Content {
  name: string;
  contentType: string;
  contentId: string | null;
  bytes: Buffer;
}

/** Sent mail, as its recipients would receive it. */
export interface SentMail extends Omit<OutgoingMail, 'attachments'> {
  /** Sequence number, from 1. */
  number: number;
  /** Tenant of the service itself for mails with a validation link. */
  tenantId: string;
  attachments: Content[];
}

export interface MailsWanted {
  tenantId?: string;
  /** Address, in any letter case. */
  to?: string;
  /** Selects mails with a higher number. */
  after: number;
}

/** Stores the newest sent mails, up to 10,000 and 256 MiB. */
export class Mailbox {
  private readonly mails: SentMail[] = [];
  private readonly waiters = new Set<() => void>();
  private bytes = 0;
  private last = 0;

  /** Stores all mails that the transport sends from now on. */
  watch(transport: MailTransport, tenantOf: (emailId: string) => Promise<string>): void {
    const send = transport.send.bind(transport);
    transport.send = async (mail, signal) => {
      const attachments = await Promise.all(
        mail.attachments.map(async ({ content, ...about }) => ({ ...about, bytes: await buffer(content) })),
      );
      const again = attachments.map(({ bytes, ...about }) => ({ ...about, content: Readable.from([bytes]) }));
      const refusals = await send({ ...mail, attachments: again }, signal);
      this.keep({ ...mail, attachments, number: ++this.last, tenantId: await tenantOf(mail.id) });
      return refusals;
    };
  }

  /** Returns the matching mails, oldest first. Without any, waits up to `waitMs` for one. */
  async find(wanted: MailsWanted, waitMs: number): Promise<SentMail[]> {
    for (const until = performance.now() + waitMs; ;) {
      const found = this.mails.filter((mail) => isWanted(mail, wanted));
      const leftMs = until - performance.now();
      if (found.length > 0 || leftMs <= 0) return found;
      await this.next(leftMs);
    }
  }

  private keep(mail: SentMail): void {
    this.mails.push(mail);
    this.bytes += sizeOf(mail);
    while (this.mails.length > MAX_KEPT || this.bytes > MAX_KEPT_BYTES) this.bytes -= sizeOf(this.mails.shift()!);
    for (const wake of this.waiters) wake();
  }

  private next(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(limit);
        this.waiters.delete(wake);
        resolve();
      };
      const limit = setTimeout(wake, limitMs);
      this.waiters.add(wake);
    });
  }
}

function isWanted(mail: SentMail, { tenantId, to, after }: MailsWanted): boolean {
  if (mail.number <= after || (tenantId !== undefined && mail.tenantId !== tenantId)) return false;
  return to === undefined || mail.recipients.some((address) => address.toLowerCase() === to.toLowerCase());
}

function sizeOf({ html, text, attachments }: SentMail): number {
  const contents = attachments.reduce((sum, { bytes }) => sum + bytes.length, 0);
  return contents + 2 * ((html?.length ?? 0) + (text?.length ?? 0));
}
