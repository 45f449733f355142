import { PassThrough, pipeline } from 'node:stream';
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

/** The options of nodemailer, the header lines that this service writes, and what signs. */
interface MailOptions extends SendMailOptions, Pick<OutgoingMail, 'signer'> {
  head: string;
}

/** Opens a transporter of nodemailer, for mails with the options that `mailOptions` returns. */
export function openTransporter(options: object): Transporter {
  const transporter: Transporter = createTransport({ ...CLOSED, ...options });
  return transporter.use('stream', ({ data, message }, done) => {
    const { head, signer } = data as MailOptions;
    message.transform(() => {
      const stream = new PassThrough();
      stream.write(head);
      return stream;
    });
    // Nodemailer reads the last stream, in which each error ends.
    if (signer) message.processFunc((composed) => pipeline(composed, signer, new PassThrough(), () => undefined));
    done();
  });
}

/** Returns the options of a mail. Nodemailer writes the headers that are not in `head` (RFC 5322) and the parts (MIME). */
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
    // The envelope differs from the headers: they do not contain bcc, and a retry goes only to the recipients who are left.
    envelope: { from: mail.returnPath ?? mail.from.address, to: mail.recipients },
  };
}

/**
 * Makes an attachment arrive byte for byte, as a file: in base64, and under a type that is not parsed as a mail. One with a contentId goes
 * into multipart/related with the html (RFC 2387).
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

/**
 * Writes a name that looks like an encoded word only into Content-Disposition: nodemailer would not escape it in Content-Type.
 */
function named(name: string, contentDisposition: 'attachment' | 'inline') {
  if (!name.includes('=?')) return { filename: name, contentDisposition };
  const quoted = name.replaceAll(/["\\]/g, '\\$&');
  return { filename: false as const, contentDisposition: `${contentDisposition}; filename="${quoted}"` };
}
