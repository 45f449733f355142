import type { Transporter } from 'nodemailer';
import type { OutgoingMail } from './mail-transport.js';

/** Header of a part that describes the omitted content. */
const LEFT_OUT = 'X-Content-Left-Out';

let composer: Transporter | undefined;

/** Composes a mail as sent, with a description in place of each attachment. */
export async function composed(mail: OutgoingMail, leftOut: string[]): Promise<string> {
  const { mailOptions, openTransporter } = await import('./mail-options.js');
  composer ??= openTransporter({ streamTransport: true, buffer: true, newline: 'windows' });
  const options = mailOptions(mail);
  const attachments = options.attachments?.map((one, at) => ({ ...one, headers: { [LEFT_OUT]: leftOut[at]! } }));
  const { message } = (await composer.sendMail({ ...options, attachments })) as { message: Buffer };
  return message.toString();
}
