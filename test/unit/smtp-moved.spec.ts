import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MailServer } from '../support/smtp.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Sends twice to a name whose address was looked up before the server moved, in a process of its own with nodemailer's memory. */
const SEND_TWICE = `
const [{ dnsCache }, { SmtpMailTransport }, { createLogger }] = await Promise.all([
  import('nodemailer/lib/shared'),
  import('./dist/modules/email/transport/smtp-mail-transport.js'),
  import('./dist/common/logging/logger.js'),
]);
dnsCache.set('localhost', { value: { addresses: ['127.0.0.2'] }, expires: Date.now() + 300_000 });
const settings = { url: process.env.SMTP_URL, hasPassword: false, tls: 'opportunistic' };
const transport = new SmtpMailTransport(settings, createLogger({ logLevel: 'silent' }));
const to = [{ address: 'ann@example.com', name: null }];
const from = { address: 'a@sender.example', name: null };
const mail = { id: 'id', messageId: '<id@sender.example>', date: new Date(), from, replyTo: null, to, cc: [], subject: 's', html: null,
  text: 't', attachments: [], headers: [], unsubscribeUrl: null, recipients: ['ann@example.com'] };
const send = () => transport.send(mail, new AbortController().signal).then(() => 'sent', ({ message }) => message);
console.log(JSON.stringify([await send(), await send()]));
transport.close();
`;

describe('a mail server that moved to another address', () => {
  test('is found with the second attempt', async () => {
    const server = await MailServer.start();
    const options = { cwd: root, env: { ...process.env, SMTP_URL: `smtp://localhost:${server.port}` } };
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', SEND_TWICE], options);
    await server.stop();
    expect(JSON.parse(stdout)).toEqual(['the mail server cannot be reached: its port is closed', 'sent']);
  });
});
