import type { SendMailOptions } from 'nodemailer';
import type { MailAddress, OutgoingMail } from './mail-transport.js';

/** Nothing that a mail names is read from a disk or the net: its content is in it. */
export const CLOSED = { disableFileAccess: true, disableUrlAccess: true } as const;

/** A mail in the words of nodemailer, which writes the headers (RFC 5322) and the parts (MIME). */
export function mailOptions(mail: OutgoingMail): SendMailOptions {
  return {
    messageId: mail.messageId,
    date: mail.date,
    from: named(mail.from),
    replyTo: mail.replyTo ? named(mail.replyTo) : undefined,
    to: mail.to.map(named),
    cc: mail.cc.map(named),
    subject: mail.subject,
    html: mail.html ?? undefined,
    text: mail.text ?? undefined,
    attachments: mail.attachments.map(({ name, contentType, content }) => ({ filename: name, contentType, content })),
    headers: { 'Auto-Submitted': 'auto-generated' },
    // Said apart from the headers, so that bcc stands in none, and a repeat goes to those only who are left.
    envelope: { from: mail.from.address, to: mail.recipients },
  };
}

function named({ address, name }: MailAddress): { address: string; name: string } {
  return { address, name: name ?? '' };
}
