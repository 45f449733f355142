import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { createTransport } from 'nodemailer';
// Past the API: port of the listener, which the system chose.
import { BounceListener } from '../src/modules/email/bounces/bounce-listener.job.js';
import { feedbackReport, statusReport } from './support/bounce-reports.js';
import { Email, FROM, someone } from './support/email.js';
import { PolledWebhook } from './support/polled-webhook.js';
import { until } from './support/websockets.js';

const DOMAIN = 'bounces.sender.example';
const REPORT = 'mutation($report:String!){reportBounce(report:$report){at kind code diagnostic}}';
const BOUNCES = 'query($id:ID!){messages(filter:{id:$id}){items{recipients{address status bounce{at kind code diagnostic}}}}}';
const EVENTS = ['RECIPIENT_DELAYED', 'RECIPIENT_BOUNCED', 'RECIPIENT_COMPLAINED'];
const HARD = { kind: 'HARD', code: '5.1.1', diagnostic: expect.stringContaining('no such user here'), at: expect.any(String) };

describe('a server with RETURN_PATH_DOMAIN', () => {
  let email: Email;
  let port: number;
  beforeAll(async () => {
    email = await Email.start({ RETURN_PATH_DOMAIN: DOMAIN, BOUNCE_PORT: '0', BOUNCE_HOST: '127.0.0.1' });
    const listener = email.server.app.get(BounceListener, { strict: false });
    await listener.listen();
    port = listener.port!;
  });
  afterAll(() => email.stop());

  const report = async (text: string, by = email): Promise<any> => (await by.api.ask(REPORT, { report: text })).reportBounce;
  const refusal = (text: string, by = email) => by.api.refusal(REPORT, { report: text });
  const recipients = async (id: string, by = email): Promise<any[]> =>
    (await by.api.ask(BOUNCES, { id })).messages.items[0].recipients;
  const bounceOf = async (id: string) => (await recipients(id))[0].bounce;
  /** Sends a message to a new address, and returns its return path. */
  const sent = async (by = email) => {
    const recipient = someone();
    const id = await by.send({ to: { address: recipient } });
    await by.finished(id);
    const [mail] = await email.mail.to(recipient);
    return { id, recipient, to: mail!.from };
  };

  it('sends each recipient an envelope; a refused one is retried alone, and the others are sent', async () => {
    const [good, later, never, hidden] = [someone(), someone(), someone(), someone()];
    email.mail.recipients.set(later, 450).set(never, 550);
    const fileId = await email.file('the same for all', { name: 'f' });
    const id = await email.send({
      to: [{ address: good }, { address: later }, { address: never }],
      bcc: { address: hidden },
      attachments: { name: 'a.txt', fileId },
    });
    await email.tried(id);
    expect((await recipients(id)).map(({ status }) => status)).toEqual(['SENT', 'QUEUED', 'FAILED', 'SENT']);
    email.mail.recipients.delete(later);
    await email.passTime();
    await email.finished(id);
    const mails = email.mail.mails.filter(({ parsed }) => parsed.messageId?.includes(id));
    expect(mails.map(({ to }) => to)).toEqual([[good], [hidden], [later]]);
    expect(new Set(mails.map(({ from }) => from)).size).toBe(3);
    for (const { from, parsed } of mails) {
      expect(from).toMatch(/^bounce-[a-z2-7]{48}@bounces\.sender\.example$/);
      expect(parsed.from).toMatchObject({ address: FROM });
      expect(parsed.attachments.map(({ content }) => Buffer.from(content as ArrayBuffer).toString())).toEqual([
        'the same for all',
      ]);
    }
  });

  it('tries no other envelope once the mail server is down, and sends the rest when it is up', async () => {
    const [first, ...others] = [someone(), someone(), someone()];
    email.mail.treatments.set(first!, 'drop after DATA');
    const id = await email.send({ to: [first, ...others].map((address) => ({ address })) });
    await email.tried(id);
    email.mail.treatments.delete(first!);
    await email.passTime();
    await email.finished(id);
    for (const address of [first!, ...others]) expect((await email.mail.to(address)).length).toBeGreaterThan(0);
  });

  it('records a hard bounce at its recipient with an event, and a repeat changes nothing', async () => {
    const webhook = await PolledWebhook.create(email.api, ...EVENTS);
    const { id, recipient, to } = await sent();
    const text = statusReport({
      to,
      recipient,
      diagnostic: `smtp; 550 5.1.1 <${recipient}>: no such user here, says mx1.inner.corp for bob@elsewhere.example`,
    });
    const first = await report(text);
    expect(first).toEqual(HARD);
    expect(first.diagnostic).toBe(`550 5.1.1 <${recipient}>: no such user here, says [host] for [address]`);
    expect(await report(text)).toEqual(first);
    expect(await bounceOf(id)).toEqual(first);
    const [event, ...more] = await webhook.of(id);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'recipient.bounced',
      data: { id, status: 'SENT', recipient: { address: recipient, bounce: first } },
    });
  });

  it('stores the most severe of several reports, each with its event', async () => {
    const webhook = await PolledWebhook.create(email.api, ...EVENTS);
    const { id, recipient, to } = await sent();
    const delayed = statusReport({ to, recipient, action: 'delayed', status: '4.4.1', diagnostic: 'smtp; connection refused' });
    const full = statusReport({ to, recipient, status: '5.2.2', diagnostic: 'smtp; 552 5.2.2 mailbox full' });
    expect(await report(delayed)).toMatchObject({ kind: 'DELAYED', code: '4.4.1' });
    expect(await report(full)).toMatchObject({ kind: 'SOFT', code: '5.2.2' });
    expect(await report(delayed)).toMatchObject({ kind: 'SOFT' });
    expect(await report(feedbackReport({ returnPath: to.toUpperCase() }))).toMatchObject({ kind: 'COMPLAINT', code: null });
    expect(await report(statusReport({ to, recipient }))).toMatchObject({ kind: 'COMPLAINT' });
    expect((await webhook.of(id, 3)).map(({ type }) => type)).toEqual([
      'recipient.delayed',
      'recipient.bounced',
      'recipient.complained',
    ]);
  });

  it('does not count a report of a delivery that failed for another address as a bounce', async () => {
    const { id, recipient, to } = await sent();
    const other = `smtp; 550 5.1.1 no such user\r\n\r\nFinal-Recipient: rfc822; ${recipient.toUpperCase()}\r\nAction: delivered\r\nStatus: 2.0.0`;
    const text = statusReport({ to, recipient: 'stranger@example.com', diagnostic: other });
    expect(await refusal(text)).toMatchObject({ code: 'BAD_USER_INPUT', field: 'report' });
    expect(await bounceOf(id)).toBeNull();
    expect(await report(statusReport({ to, recipient: 'stranger@example.com' }))).toMatchObject({ kind: 'HARD' });
  });

  it('applies a report that arrives many times concurrently once', async () => {
    const webhook = await PolledWebhook.create(email.api, ...EVENTS);
    const { id, recipient, to } = await sent();
    const answers = await Promise.all(Array.from({ length: 20 }, () => report(statusReport({ to, recipient }))));
    expect(new Set(answers.map(({ at }) => at)).size).toBe(1);
    expect(await webhook.of(id)).toHaveLength(1);
  });

  it('accepts no forged report, none of another tenant, and nothing else', async () => {
    const { id, recipient, to } = await sent();
    const other = await email.another();
    const forged = to.replace(/.(?=@)/, (last) => (last === 'a' ? 'b' : 'a'));
    expect(await refusal(statusReport({ to, recipient }), other)).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refusal(statusReport({ to: forged, recipient }))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refusal(statusReport({ to: FROM, recipient }))).toMatchObject({ code: 'NOT_FOUND' });
    for (const text of [
      '',
      `To: ${to}\r\n\r\nhello`,
      `To: ${to}\r\nSubject: Out of office\r\nAuto-Submitted: auto-replied\r\n\r\naway`,
    ])
      expect(await refusal(text)).toMatchObject({ code: 'BAD_USER_INPUT', field: 'report' });
    expect(await refusal('a'.repeat(1024 * 1024 + 1))).toMatchObject({ code: 'BAD_USER_INPUT', field: 'report' });
    expect(await bounceOf(id)).toBeNull();
  });

  /** Reports several bounces in one operation, and returns the codes of the refusals. */
  const reportAll = async (texts: string[]): Promise<string[]> => {
    const different = [...new Set(texts)];
    const given = different.map((_, n) => `$r${n}:String!`).join();
    const fields = texts.map((text, n) => `a${n}:reportBounce(report:$r${different.indexOf(text)}){kind}`).join();
    const query = `mutation(${given}){${fields}}`;
    const variables = Object.fromEntries(different.map((text, n) => [`r${n}`, text]));
    const { errors = [] } = await email.api.send(query, variables);
    return errors.map(({ extensions }) => extensions.code);
  };
  const HEAVY = `From: mailer-daemon@x.example\r\nSubject: failure notice\r\n\r\n${`${'no such user '.repeat(3)}\r\n`.repeat(6_000)}`;

  it('yields the event loop while it reads the mails of one operation', async () => {
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns++;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const codes = await reportAll(Array.from({ length: 8 }, (_, n) => HEAVY.replace('failure', `failure ${n}`)));
    isOver = true;
    expect(codes).toEqual(Array.from({ length: 8 }, () => 'NOT_FOUND'));
    expect(turns).toBeGreaterThan(2_000);
  });

  it('charges a report by its length, up to 20 of the longest in an operation', async () => {
    const forged = 'bounce-'.concat('a'.repeat(48), '@x.example\r\n').repeat(5_000);
    expect(await reportAll(Array.from({ length: 21 }, () => forged))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
    expect(new Set(await reportAll(Array.from({ length: 19 }, () => forged)))).toEqual(new Set(['NOT_FOUND']));
    expect(new Set(await reportAll(Array.from({ length: 99 }, () => 'short')))).toEqual(new Set(['BAD_USER_INPUT']));
  });

  describe('by SMTP', () => {
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
      await deliver(
        to,
        'From: ann@example.com\r\nSubject: Out of office\r\nAuto-Submitted: auto-replied\r\n\r\nuser unknown\r\n',
      );
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
});

describe('a server without RETURN_PATH_DOMAIN', () => {
  it('sends one envelope for all recipients, from the sender', async () => {
    const email = await Email.start();
    const to = [someone(), someone()];
    await email.finished(await email.send({ to: to.map((address) => ({ address })) }));
    expect(email.mail.mails.map(({ from, to: all }) => ({ from, all }))).toEqual([{ from: FROM, all: to }]);
    await email.stop();
  });
});
