// @only postgresql: two nodes need a database over the network
// @nightly: waits for the ends of leases, which last a minute
import { Api } from './support/api.js';
import { FROM, SEND, someone } from './support/email.js';
import { Deployment } from './support/process.js';
import { MailServer } from './support/smtp.js';
import { until } from './support/websockets.js';

const MAILS = 60;
/** Number of mails that a node sends concurrently. */
const SENDING = 20;

it('a node suspended for longer than its leases sends no mail that another node has sent meanwhile', async () => {
  const [slow, quick] = await Promise.all([MailServer.start(), MailServer.start()]);
  const deployment = await Deployment.create({ PORT: '0', EMAIL_FROM: FROM });
  const suspended = deployment.start({ SMTP_URL: slow.url });
  const address = await suspended.ready();
  const email = new Api(address, 'email', (await suspended.until(/psk_\w+(?=\n)/))!);
  const send = (to: string) => email.ask(SEND, { input: { to: { address: to }, subject: 's', textBody: 't' } });
  const claimed = async () => {
    const count = `SELECT count(*)::int AS n FROM "Email" WHERE "leaseHolder" IS NOT NULL AND "status" = 'QUEUED'`;
    const [row] = (await deployment.query('no API shows a lease', `${count} AND "dueAt" > now() AT TIME ZONE 'UTC'`)) as {
      n: number;
    }[];
    return row!.n;
  };

  const recipients = Array.from({ length: MAILS }, someone);
  for (const to of recipients) slow.treatments.set(to, { slowMs: 100_000 });
  await Promise.all(recipients.map(send));
  await until(async () => (await claimed()) > 2 * SENDING);
  suspended.child.kill('SIGSTOP');
  await until(async () => (await claimed()) === 0);
  const other = deployment.start({ SMTP_URL: quick.url });
  await other.ready();
  await until(() => quick.mails.length === MAILS);
  await other.stop();

  slow.treatments.clear();
  suspended.child.kill('SIGCONT');
  const last = someone();
  await send(last);
  await until(() => slow.mails.some(({ to }) => to.includes(last)));
  expect(slow.mails.length - 1).toBeLessThanOrEqual(SENDING);
  await deployment.remove();
  await Promise.all([slow.stop(), quick.stop()]);
});
