import { PassThrough } from 'node:stream';
import { createTransport, type SendMailOptions, type Transporter } from 'nodemailer';
import { headOf } from './mail-headers.js';
import type { MailAttachment, OutgoingMail } from './mail-transport.js';

/** Keeps nodemailer from reading files or URLs: all content is passed in. */
const CLOSED = { disableFileAccess: true, disableUrlAccess: true } as const;
/**
 * Content types that mail programs parse as mails. RFC 2046 (5.1 and 5.2.1) forbids encoding them, so their bytes could change in
 * transit.
 */
const MAIL_TYPE = /^(message|multipart)\//i;
const BYTES = 'application/octet-stream';

/** The headers that a signature covers (RFC 6376, 5.4.1; RFC 8058, 4): all that a reader sees, and what unsubscribes. */
const SIGNED = [
  'from', 'reply-to', 'subject', 'date', 'message-id', 'to', 'cc', 'mime-version', 'content-type', 'content-transfer-encoding',
  'auto-submitted', 'in-reply-to', 'references', 'list-id', 'list-unsubscribe', 'list-unsubscribe-post',
].join(':'); // prettier-ignore

/** The options of nodemailer, and the header lines that this service writes. */
interface MailOptions extends SendMailOptions {
  head: string;
}

/** Opens a transporter of nodemailer, for mails with the options that `mailOptions` returns. */
export function openTransporter(options: object): Transporter {
  const transporter: Transporter = createTransport({ ...CLOSED, ...options });
  return transporter.use('stream', ({ data, message }, done) => {
    message.transform(() => {
      const stream = new PassThrough();
      stream.write((data as MailOptions).head);
      return stream;
    });
    done();
  });
}

/** Returns the options of a mail. Nodemailer writes the headers that are not in `head` (RFC 5322) and the parts (MIME). */
export function mailOptions(mail: OutgoingMail): MailOptions {
  return {
    head: headOf(mail),
    messageId: mail.messageId,
    date: mail.date,
    html: mail.html ?? undefined,
    text: mail.text ?? undefined,
    attachments: mail.attachments.map(attachmentOptions),
    headers: mail.headers.some(({ name }) => /^auto-submitted$/i.test(name)) ? {} : { 'Auto-Submitted': 'auto-generated' },
    dkim: mail.dkim && ({ ...mail.dkim, headerFieldNames: SIGNED } as unknown as SendMailOptions['dkim']),
    // The envelope differs from the headers: they do not contain bcc, and a retry goes only to the recipients who are left.
    envelope: { from: mail.returnPath ?? mail.from.address, to: mail.recipients },
  };
}

/** Makes an attachment arrive byte for byte, as a file: in base64, and under a type that is not parsed as a mail. */
function attachmentOptions({ name, contentType, content }: MailAttachment) {
  return {
    content,
    contentType: MAIL_TYPE.test(contentType) ? BYTES : contentType,
    contentTransferEncoding: 'base64' as const,
    ...named(name),
  };
}

/**
 * Writes a name that looks like an encoded word only into Content-Disposition: nodemailer would not escape it in Content-Type.
 */
function named(name: string) {
  if (!name.includes('=?')) return { filename: name, contentDisposition: 'attachment' as const };
  const quoted = name.replaceAll(/["\\]/g, '\\$&');
  return { filename: false as const, contentDisposition: `attachment; filename="${quoted}"` };
}
