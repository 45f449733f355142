import type { Readable } from 'node:stream';
import type { SuppressionReason } from '../models/suppression.model.js';

export interface MailAddress {
  address: string;
  name: string | null;
}

export interface MailAttachment {
  name: string;
  contentType: string;
  /** Id by which the html embeds it (RFC 2392); null for an ordinary attachment. */
  contentId: string | null;
  /** Content stream, opened on first read. */
  content: Readable;
}

/** Prepends signatures to a mail (RFC 6376). */
export type MailSigner = (mail: AsyncIterable<Buffer>) => AsyncIterable<Buffer>;

/** Mail of one attempt. */
export interface OutgoingMail {
  id: string;
  messageId: string;
  date: Date;
  from: MailAddress;
  replyTo: MailAddress | null;
  to: MailAddress[];
  cc: MailAddress[];
  subject: string;
  /** Validated headers of the caller. */
  headers: { name: string; value: string }[];
  /** Unsubscribe URL of the list. */
  unsubscribeUrl: string | null;
  html: string | null;
  text: string | null;
  attachments: MailAttachment[];
  /** Signer of the mail, if any. */
  signer?: MailSigner | undefined;
  /** Envelope sender, which receives bounces; `from` by default. */
  returnPath?: string;
  /** Recipients of this attempt, which may differ from those in the headers. */
  recipients: string[];
}

/** Recipient rejected by the mail server. */
export interface Refusal {
  address: string;
  isPermanent: boolean;
  /** Reason, shown to the sender. */
  message: string;
  /** True if the address does not exist, according to the server. */
  isGone?: boolean;
  /** Suppression reason, if the recipient was not tried. */
  suppressed?: SuppressionReason;
}

/** Sends mails, or stores them for a developer. */
export abstract class MailTransport {
  /** Sends a mail. Returns the rejected recipients; all others were accepted. @throws MailNotTaken if every recipient is rejected */
  abstract send(mail: OutgoingMail, signal: AbortSignal): Promise<Refusal[]>;

  /** Closes idle connections. */
  abstract close(): void;
}

/** Kind of failure: a permanent or temporary rejection, or a server that accepts no mail at all. */
export type FailureKind = 'permanent' | 'temporary' | 'unreachable';

/** Rejection of a message for every recipient, for a reason unrelated to the recipients. The error message is shown to the sender. */
export class MailNotTaken extends Error {
  constructor(
    message: string,
    readonly kind: FailureKind,
    cause: unknown,
  ) {
    super(message, { cause });
  }
}
