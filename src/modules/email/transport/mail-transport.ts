import type { Readable } from 'node:stream';

export interface MailAddress {
  address: string;
  name: string | null;
}

export interface MailAttachment {
  name: string;
  contentType: string;
  /** Opened when it is first read. */
  content: Readable;
}

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
  html: string | null;
  text: string | null;
  attachments: MailAttachment[];
  /** Whom this attempt is for; the headers say nothing of it. */
  recipients: string[];
}

/** A recipient whom the mail server did not take the mail for. */
export interface Refusal {
  address: string;
  isPermanent: boolean;
  /** Shown to the sender. */
  message: string;
}

/** Where mails go. */
export abstract class MailTransport {
  /** Answers with those who were refused; for all others the mail was taken. @throws MailNotTaken when it was for nobody */
  abstract send(mail: OutgoingMail, signal: AbortSignal): Promise<Refusal[]>;

  /** Ends idle connections. */
  abstract close(): void;
}

/** Whose fault it was: permanently or for now the mail's, or that of a server which would take no other mail either. */
export type Fault = 'permanent' | 'temporary' | 'unreachable';

/** The mail was taken for nobody, and not because of its recipients. The message is shown to the sender. */
export class MailNotTaken extends Error {
  constructor(
    message: string,
    readonly fault: Fault,
    cause: unknown,
  ) {
    super(message, { cause });
  }
}
