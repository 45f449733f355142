import { PassThrough } from 'node:stream';
import { createTransport, type SendMailOptions, type Transporter } from 'nodemailer';
import { headOf } from './mail-headers.js';
import type { MailAttachment, OutgoingMail } from './mail-transport.js';

/** Nothing that a mail names is read from a disk or the net: its content is in it. */
const CLOSED = { disableFileAccess: true, disableUrlAccess: true } as const;
/** Parts of these types are read as mails; they may not be encoded (RFC 2046 5.1 and 5.2.1), so their bytes would not last. */
const MAIL_TYPE = /^(message|multipart)\//i;
const BYTES = 'application/octet-stream';

/** A mail in the words of nodemailer, and the header lines that are ours. */
interface MailOptions extends SendMailOptions {
  head: string;
}

/** A transporter of nodemailer for what `mailOptions` makes. */
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

/** Nodemailer writes the other headers (RFC 5322) and the parts (MIME). */
export function mailOptions(mail: OutgoingMail): MailOptions {
  return {
    head: headOf(mail),
    messageId: mail.messageId,
    date: mail.date,
    html: mail.html ?? undefined,
    text: mail.text ?? undefined,
    attachments: mail.attachments.map(attachmentOptions),
    headers: { 'Auto-Submitted': 'auto-generated' },
    // Said apart from the headers, so that bcc stands in none, and a repeat goes to those only who are left.
    envelope: { from: mail.from.address, to: mail.recipients },
  };
}

/** Makes an attachment arrive byte for byte, as a file: encoded, and under no type that is read as a mail. */
function attachmentOptions({ name, contentType, content }: MailAttachment) {
  return {
    content,
    contentType: MAIL_TYPE.test(contentType) ? BYTES : contentType,
    contentTransferEncoding: 'base64' as const,
    ...named(name),
  };
}

/** Gives names that look encoded in Content-Disposition only: nodemailer lets them through in Content-Type. */
function named(name: string) {
  if (!name.includes('=?')) return { filename: name, contentDisposition: 'attachment' as const };
  const quoted = name.replaceAll(/["\\]/g, '\\$&');
  return { filename: false as const, contentDisposition: `attachment; filename="${quoted}"` };
}
