import { feedbackReport, statusReport } from './support/bounce-reports.js';
import { Email, FROM, someone } from './support/email.js';
import { PolledWebhook } from './support/polled-webhook.js';

const DOMAIN = 'bounces.sender.example';
const REPORT = 'mutation($report:String!){reportBounce(report:$report){at kind code diagnostic}}';
const BOUNCES = 'query($id:ID!){messages(filter:{id:$id}){items{recipients{address status bounce{at kind code diagnostic}}}}}';
const EVENTS = ['RECIPIENT_DELAYED', 'RECIPIENT_BOUNCED', 'RECIPIENT_COMPLAINED'];
const HARD = { kind: 'HARD', code: '5.1.1', diagnostic: expect.stringContaining('no such user here'), at: expect.any(String) };

describe('a server with RETURN_PATH_DOMAIN', () => {
  let email: Email;
  beforeAll(async () => {
    email = await Email.start({ RETURN_PATH_DOMAIN: DOMAIN });
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
