import type { Readable } from 'node:stream';
import type { SuppressionReason } from '../models/suppression.model.js';

export interface MailAddress {
  address: string;
  name: string | null;
}

export interface MailAttachment {
  name: string;
  contentType: string;
  /** The id by which the html shows it (RFC 2392); null for an attachment that is listed. */
  contentId: string | null;
  /** The stream is opened at its first read. */
  content: Readable;
}

/** Returns a mail with its signatures before it (RFC 6376). */
export type MailSigner = (mail: AsyncIterable<Buffer>) => AsyncIterable<Buffer>;

/** A mail as one attempt sends it. */
export interface OutgoingMail {
  id: string;
  messageId: string;
  date: Date;
  from: MailAddress;
  replyTo: MailAddress | null;
  to: MailAddress[];
  cc: MailAddress[];
  subject: string;
  /** Header lines that the caller chose, whose names and values were checked. */
  headers: { name: string; value: string }[];
  /** Where the recipient ends the mails of the list. */
  unsubscribeUrl: string | null;
  html: string | null;
  text: string | null;
  attachments: MailAttachment[];
  /** Signs the mail; without it, nothing does. */
  signer?: MailSigner | undefined;
  /** The sender of the envelope, which bounces go to; `from` if left out. */
  returnPath?: string;
  /** The addresses that this attempt sends to, which may differ from those in the headers. */
  recipients: string[];
}

/** A recipient for whom the mail server refused the mail. */
export interface Refusal {
  address: string;
  isPermanent: boolean;
  /** The reason, which is shown to the sender. */
  message: string;
  /** Whether the server said that the address is not there. */
  isGone?: boolean;
  /** The reason for which the recipient was not tried. */
  suppressed?: SuppressionReason;
}

/** Sends mails, or stores them where a developer can open them. */
export abstract class MailTransport {
  /** Returns the refused recipients; all others were accepted. @throws MailNotTaken when every recipient is rejected */
  abstract send(mail: OutgoingMail, signal: AbortSignal): Promise<Refusal[]>;

  /** Closes idle connections. */
  abstract close(): void;
}

/** Whether the mail was refused permanently or temporarily, or the server could accept no mail at all. */
export type FailureKind = 'permanent' | 'temporary' | 'unreachable';

/**
 * The server rejected the message for every recipient, for a reason unrelated to the recipients. The message of this error is
 * shown to the sender.
 */
export class MailNotTaken extends Error {
  constructor(
    message: string,
    readonly kind: FailureKind,
    cause: unknown,
  ) {
    super(message, { cause });
  }
}
