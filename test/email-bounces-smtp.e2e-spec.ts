// @nightly postgresql: no SQL of its own
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { createTransport } from 'nodemailer';
// Past the API: port of the listener, which the system chose.
import { BounceListener } from '../src/modules/email/bounces/bounce-listener.job.js';
import { statusReport } from './support/bounce-reports.js';
import { Email, someone } from './support/email.js';
import { until } from './support/websockets.js';

const DOMAIN = 'bounces.sender.example';
const BOUNCES = 'query($id:ID!){messages(filter:{id:$id}){items{recipients{bounce{at kind code diagnostic}}}}}';
const HARD = { kind: 'HARD', code: '5.1.1', diagnostic: expect.stringContaining('no such user here'), at: expect.any(String) };

describe('a server that accepts bounces by SMTP', () => {
  let email: Email;
  let port: number;
  beforeAll(async () => {
    email = await Email.start({ RETURN_PATH_DOMAIN: DOMAIN, BOUNCE_PORT: '0', BOUNCE_HOST: '127.0.0.1' });
    const listener = email.server.app.get(BounceListener, { strict: false });
    await listener.listen();
    port = listener.port!;
  });
  afterAll(() => email.stop());

  const bounceOf = async (id: string) => (await email.api.ask(BOUNCES, { id })).messages.items[0].recipients[0].bounce;
  /** Sends a message to a new address, and returns its return path. */
  const sent = async () => {
    const recipient = someone();
    const id = await email.send({ to: { address: recipient } });
    await email.finished(id);
    const [mail] = await email.mail.to(recipient);
    return { id, recipient, to: mail!.from };
  };
  const client = () => createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
  const deliver = (to: string | string[], raw: string) => client().sendMail({ envelope: { from: '', to }, raw });

  it('accepts a report for a return path in any letter case', async () => {
    const { id, recipient, to } = await sent();
    await deliver(to.toUpperCase(), statusReport({ recipient }));
    expect(await bounceOf(id)).toEqual(HARD);
  });

  it('trusts the address that a report was sent to, not one in its text', async () => {
    const [victim, own] = [await sent(), await sent()];
    await deliver(own.to, statusReport({ to: victim.to, recipient: victim.recipient }));
    expect([await bounceOf(victim.id), await bounceOf(own.id)]).toEqual([null, HARD]);
  });

  it('refuses all other addresses, and so relays nothing', async () => {
    const { to } = await sent();
    const forged = to.replace(/.(?=@)/, (last) => (last === 'a' ? 'b' : 'a'));
    for (const address of [
      'ann@example.com',
      `ann@${DOMAIN}`,
      `postmaster@${DOMAIN}`,
      forged,
      to.replace(DOMAIN, 'evil.example'),
    ])
      await expect(deliver(address, statusReport())).rejects.toMatchObject({ responseCode: 550 });
  });

  it('accepts vacation notes and other mails without an effect', async () => {
    const { id, to } = await sent();
    await deliver(to, 'From: ann@example.com\r\nSubject: Out of office\r\nAuto-Submitted: auto-replied\r\n\r\nuser unknown\r\n');
    await deliver(to, 'From: ann@example.com\r\nSubject: Re: s\r\n\r\n550 5.1.1 user unknown\r\n');
    expect(await bounceOf(id)).toBeNull();
  });

  it('reads the start of a report that returns a long mail, and refuses one without an end', async () => {
    const { id, recipient, to } = await sent();
    await deliver(to, statusReport({ recipient }).replace('It was nice.', `${'It was nice.\r\n'.repeat(400_000)}`));
    expect(await bounceOf(id)).toEqual(HARD);
    const other = await sent();
    const endless = statusReport({ recipient: other.recipient }) + 'a'.repeat(75).concat('\r\n').repeat(750_000);
    await expect(deliver(other.to, endless)).rejects.toMatchObject({ responseCode: 552 });
    expect(await bounceOf(other.id)).toBeNull();
  });

  const opened: Socket[] = [];
  afterEach(() => opened.splice(0).forEach((socket) => socket.destroy()));
  const open = async (localAddress = '127.0.0.1'): Promise<string> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined);
    opened.push(socket);
    return String(((await once(socket, 'data')) as [Buffer])[0]);
  };
  const isTaken = (to: string, recipient: string) =>
    deliver(to, statusReport({ recipient })).then(
      () => true,
      () => false,
    );

  it('serves others while one address holds its maximum of connections', async () => {
    const greetings = await Promise.all(Array.from({ length: 20 }, () => open('127.0.0.2')));
    expect(greetings.filter((line) => line.startsWith('220'))).toHaveLength(10);
    expect(greetings.filter((line) => /^421 .*from your address/.test(line))).toHaveLength(10);
    const { id, recipient, to } = await sent();
    await until(() => isTaken(to, recipient));
    expect(await bounceOf(id)).toEqual(HARD);
  });

  it('serves a client that comes after fifty silent ones have gone', async () => {
    const greetings = await Promise.all(Array.from({ length: 60 }, (_, n) => open(`127.0.1.${1 + (n % 20)}`)));
    expect(greetings.filter((line) => line.startsWith('220'))).toHaveLength(50);
    expect(greetings.filter((line) => line.startsWith('421'))).toHaveLength(10);
    for (const socket of opened) socket.destroy();
    const { id, recipient, to } = await sent();
    await until(() => isTaken(to, recipient));
    expect(await bounceOf(id)).toEqual(HARD);
  });

  it('accepts ten reports a minute per return path, and those for others meanwhile', async () => {
    const { recipient, to } = await sent();
    for (let times = 0; times < 10; times++) await deliver(to, statusReport({ recipient }));
    await expect(deliver(to, statusReport({ recipient }))).rejects.toMatchObject({ responseCode: 450 });
    const other = await sent();
    await deliver(other.to, statusReport({ recipient: other.recipient }));
    expect(await bounceOf(other.id)).toEqual(HARD);
  });

  it('records a report for several return paths at each of them', async () => {
    const [one, two] = [await sent(), await sent()];
    await deliver([one.to, two.to], statusReport({ recipient: 'stranger@example.com' }));
    expect([await bounceOf(one.id), await bounceOf(two.id)]).toEqual([HARD, HARD]);
  });

  it('does not implement VRFY, for a return path or another address', async () => {
    const { to } = await sent();
    await open('127.0.0.3');
    for (const address of [to, 'ann@example.com']) {
      opened.at(-1)!.write(`VRFY ${address}\r\n`);
      expect(String(((await once(opened.at(-1)!, 'data')) as [Buffer])[0])).toMatch(/^500 /);
    }
  });

  it.each([
    ['a line without an end', 'a'.repeat(100_000)],
    ['a request by HTTP', 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['commands that nobody knows', 'X\r\n'.repeat(1_000)],
  ])('closes a connection that sends %s', async (_, text) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'data');
    socket.write(text);
    socket.resume();
    await once(socket, 'close');
  });
});
