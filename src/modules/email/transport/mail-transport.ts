import type { Readable } from 'node:stream';

export interface MailAddress {
  address: string;
  name: string | null;
}

export interface MailAttachment {
  name: string;
  contentType: string;
  /** Opened at its first read. */
  content: Readable;
}

/** A mail in the form that one attempt sends. */
export interface OutgoingMail {
  id: string;
  messageId: string;
  date: Date;
  from: MailAddress;
  replyTo: MailAddress | null;
  to: MailAddress[];
  cc: MailAddress[];
  subject: string;
  html: string | null;
  text: string | null;
  attachments: MailAttachment[];
  /** The addresses of this attempt. The headers do not name them. */
  recipients: string[];
}

/** A recipient for whom the mail server refused the mail. */
export interface Refusal {
  address: string;
  isPermanent: boolean;
  /** Shown to the sender. */
  message: string;
}

/** Sends mails, or keeps them where they can be looked at. */
export abstract class MailTransport {
  /** Returns the refused recipients; all others were accepted. @throws MailNotTaken when every recipient is rejected */
  abstract send(mail: OutgoingMail, signal: AbortSignal): Promise<Refusal[]>;

  /** Ends idle connections. */
  abstract close(): void;
}

/** Whether the mail was refused for good or for now, or the server could take no mail at all. */
export type FailureKind = 'permanent' | 'temporary' | 'unreachable';

/** The server rejected the message for every recipient, for a reason unrelated to them. The sender is shown the text. */
export class MailNotTaken extends Error {
  constructor(
    message: string,
    readonly kind: FailureKind,
    cause: unknown,
  ) {
    super(message, { cause });
  }
}
