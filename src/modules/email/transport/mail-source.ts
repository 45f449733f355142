import type { Transporter } from 'nodemailer';
import type { OutgoingMail } from './mail-transport.js';

/** Says in the head of a part what was left out of it. */
const LEFT_OUT = 'X-Content-Left-Out';

let composer: Transporter | undefined;

/** Writes a mail as a mail server would get it, but each attachment by a line that says what it was. */
export async function composed(mail: OutgoingMail, leftOut: string[]): Promise<string> {
  const { mailOptions, openTransporter } = await import('./mail-options.js');
  composer ??= openTransporter({ streamTransport: true, buffer: true, newline: 'windows' });
  const options = mailOptions(mail);
  const attachments = options.attachments?.map((one, at) => ({ ...one, headers: { [LEFT_OUT]: leftOut[at]! } }));
  const { message } = (await composer.sendMail({ ...options, attachments })) as { message: Buffer };
  return message.toString();
}
