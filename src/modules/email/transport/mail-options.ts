import { PassThrough, pipeline } from 'node:stream';
import { createTransport, type SendMailOptions, type Transporter } from 'nodemailer';
import { headOf } from './mail-headers.js';
import type { MailAttachment, OutgoingMail } from './mail-transport.js';

/** Prevents nodemailer from reading files or URLs. */
const CLOSED = { disableFileAccess: true, disableUrlAccess: true } as const;
/**
 * Matches content types that mail programs parse as mails. RFC 2046 (5.1 and 5.2.1) forbids encoding them, so their bytes could change in
 * transit.
 */
const MAIL_TYPE = /^(message|multipart)\//i;
const BYTES = 'application/octet-stream';

/** Options of nodemailer, with our own header lines and the signer. */
interface MailOptions extends SendMailOptions, Pick<OutgoingMail, 'signer'> {
  head: string;
}

/** Opens a nodemailer transporter for mails built by `mailOptions`. */
export function openTransporter(options: object): Transporter {
  const transporter: Transporter = createTransport({ ...CLOSED, ...options });
  return transporter.use('stream', ({ data, message }, done) => {
    const { head, signer } = data as MailOptions;
    message.transform(() => {
      const stream = new PassThrough();
      stream.write(head);
      return stream;
    });
    // Nodemailer reads the last stream, which receives each error.
    if (signer) message.processFunc((composed) => pipeline(composed, signer, new PassThrough(), () => undefined));
    done();
  });
}

/** Returns the options of a mail. Nodemailer writes the MIME parts and the headers absent from `head` (RFC 5322). */
export function mailOptions(mail: OutgoingMail): MailOptions {
  return {
    head: headOf(mail),
    signer: mail.signer,
    messageId: mail.messageId,
    date: mail.date,
    html: mail.html ?? undefined,
    text: mail.text ?? undefined,
    attachments: mail.attachments.map(attachmentOptions),
    headers: mail.headers.some(({ name }) => /^auto-submitted$/i.test(name)) ? {} : { 'Auto-Submitted': 'auto-generated' },
    // The envelope differs from the headers: it includes bcc, and on a retry only the remaining recipients.
    envelope: { from: mail.returnPath ?? mail.from.address, to: mail.recipients },
  };
}

/**
 * Builds an attachment that arrives byte for byte: in base64, and with a type that is not parsed as a mail. With a contentId, it goes into
 * multipart/related with the html (RFC 2387).
 */
function attachmentOptions({ name, contentType, contentId, content }: MailAttachment) {
  return {
    content,
    contentType: MAIL_TYPE.test(contentType) ? BYTES : contentType,
    contentTransferEncoding: 'base64' as const,
    ...named(name, contentId === null ? 'attachment' : 'inline'),
    ...(contentId !== null && { cid: contentId }),
  };
}

/** Writes a name like an encoded word only to Content-Disposition: nodemailer would not escape it in Content-Type. */
function named(name: string, contentDisposition: 'attachment' | 'inline') {
  if (!name.includes('=?')) return { filename: name, contentDisposition };
  const quoted = name.replaceAll(/["\\]/g, '\\$&');
  return { filename: false as const, contentDisposition: `${contentDisposition}; filename="${quoted}"` };
}
