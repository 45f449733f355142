import { setImmediate } from 'node:timers/promises';
// Past the API: a run of the job without its pause, and a statement whose plan is examined.
import { backlogStatement } from '../src/modules/email/outbox/outbox-claim.queries.js';
import { OutboxJob } from '../src/modules/email/outbox/outbox.job.js';
import { allRowsOf } from './support/behind-the-api.js';
import { Api } from './support/api.js';
import { Email, FROM, SEND, someone } from './support/email.js';
import { dialect, explained } from './support/plans.js';
import { Deployment } from './support/process.js';
import { MailServer } from './support/smtp.js';

declare const databaseKind: 'sqlite' | 'postgresql';

const FIELDS = '{id status attempts sendAt sentAt createdAt nextAttemptAt messageId}';
const RESCHEDULE = `mutation($id:ID!,$sendAt:DateTime!){rescheduleMessage(id:$id,sendAt:$sendAt)${FIELDS}}`;
const NOW = `mutation($id:ID!){sendMessageNow(id:$id)${FIELDS}}`;
const CANCEL = `mutation($id:ID!){cancelMessage(id:$id)${FIELDS}}`;
const PAGE = `query($filter:EmailMessagesFilter,$nextToken:String,$limit:Int){messages(filter:$filter,nextToken:$nextToken,limit:$limit){items${FIELDS} nextToken}}`;
const SEND_MANY = 'mutation($input:SendMessagesInput!){sendMessages(input:$input){id error{code field message}}}';

const SECOND_MS = 1_000;
const DAY_MS = 24 * 3_600_000;
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
/** Time that passes during a test. */
const soon = (): string => inMs(4 * SECOND_MS);
const later = (): string => inMs(20 * DAY_MS);
const wholeSecond = (time: string): number => Math.floor(Date.parse(time) / SECOND_MS) * SECOND_MS;

describe('a scheduled message', () => {
  let email: Email;
  beforeAll(async () => {
    email = await Email.start({ TENANT_DELETION_QUIET_SECONDS: '10' }); // an erasure waits that long
  });
  afterAll(() => email.stop());

  const database = () => allRowsOf('only time makes a mail due, and no API shows what a mail holds', email.server);
  const find = async (id: string, api = email.api) => (await api.ask(PAGE, { filter: { id } })).messages.items[0];
  const reschedule = async (id: string, sendAt: string) => (await email.api.ask(RESCHEDULE, { id, sendAt })).rescheduleMessage;
  const cancel = async (id: string) => (await email.api.ask(CANCEL, { id })).cancelMessage;
  const refusedReschedule = (id: string, sendAt: string, api = email.api) => api.refusal(RESCHEDULE, { id, sendAt });
  const arrivedAt = (address: string) => email.mail.mails.filter(({ to }) => to.includes(address));
  const job = () => email.server.app.get(OutboxJob, { strict: false });
  const sent = (id: string) => email.finished(id);

  it('is queued with its content, arrives at its time and not before, and has that time as its Date', async () => {
    const [to, sendAt] = [someone(), soon()];
    const fileId = await email.file('as it was', { name: 'f' });
    const id = await email.send({ to: { address: to }, sendAt, attachments: [{ name: 'a.txt', fileId }] });
    expect(await find(id)).toMatchObject({ status: 'QUEUED', attempts: 0, sendAt, sentAt: null });
    const files = await email.server.api('file-management', email.api.key);
    await files.ask(`mutation{deleteFile(id:"${fileId}"){id}}`);
    const [{ parsed }] = (await email.mail.to(to)) as [any];
    expect(Date.parse(parsed.date)).toBe(wholeSecond(sendAt));
    expect(String(Buffer.from(parsed.attachments[0].content))).toBe('as it was');
    const message = await sent(id);
    expect(Date.parse(message.sentAt)).toBeGreaterThanOrEqual(Date.parse(sendAt));
    expect(await find(id)).toMatchObject({ status: 'SENT', attempts: 1, sendAt });
  });

  it('is tried for 24 hours from its time on, with the same Date in each attempt', async () => {
    const [to, sendAt] = [someone(), soon()];
    email.mail.treatments.set(to, { code: 451, at: 'MAIL' });
    const id = await email.send({ to: { address: to }, sendAt });
    await email.tried(id);
    const { giveUpAt } = await database().email.findUniqueOrThrow({ where: { id } });
    expect(giveUpAt.toISOString()).toBe(new Date(Date.parse(sendAt) + DAY_MS).toISOString());
    email.mail.treatments.delete(to);
    await email.passTime();
    const [{ parsed }] = (await email.mail.to(to)) as [any];
    expect(Date.parse(parsed.date)).toBe(wholeSecond(sendAt));
    expect(await sent(id)).toMatchObject({ status: 'SENT', attempts: 2 });
  });

  it('is not sent after its cancellation, and releases its files', async () => {
    const to = someone();
    const fileId = await email.file('x', { name: 'f' });
    const id = await email.send({ to: { address: to }, sendAt: later(), attachments: [{ name: 'a', fileId }] });
    expect(await database().blobPin.count({ where: { holderId: id } })).toBe(1);
    expect(await cancel(id)).toMatchObject({ status: 'FAILED', attempts: 0 });
    expect(await database().blobPin.count({ where: { holderId: id } })).toBe(0);
    await email.passTime();
    await sent(await email.send({ to: { address: someone() } }));
    expect(arrivedAt(to)).toEqual([]);
    expect(await refusedReschedule(id, later())).toMatchObject({
      code: 'FAILED_PRECONDITION',
      message: 'The message is FAILED and cannot be rescheduled',
    });
  });

  it('is sent earlier or later once rescheduled, even if it was sent without a time', async () => {
    const [earlier, put, other] = [someone(), someone(), someone()];
    const first = await email.send({ to: { address: earlier }, sendAt: later() });
    const [sendAt, far] = [soon(), later()];
    const second = await email.send({ to: { address: put }, sendAt });
    const third = await email.send({ to: { address: other }, sendAt });
    expect(await reschedule(second, far)).toMatchObject({ id: second, status: 'QUEUED', sendAt: far });
    const moved = soon();
    expect(await reschedule(first, moved)).toMatchObject({ sendAt: moved });
    const [{ parsed }] = (await email.mail.to(earlier)) as [any];
    expect(Date.parse(parsed.date)).toBe(wholeSecond(moved));
    await sent(third);
    expect(await find(second)).toMatchObject({ status: 'QUEUED', attempts: 0, sendAt: far });
    expect(arrivedAt(put)).toEqual([]);

    job()['backOffUntilMs'] = Infinity; // nothing is claimed
    const waiting = await email.send({ to: { address: someone() } });
    expect(await reschedule(waiting, far)).toMatchObject({ sendAt: far });
    job()['backOffUntilMs'] = 0;
    await sent(await email.send({ to: { address: someone() } }));
    expect(await find(waiting)).toMatchObject({ status: 'QUEUED', attempts: 0 });
  });

  it('is sent now on request, with the current time as its Date', async () => {
    const [to, sendAt] = [someone(), later()];
    const id = await email.send({ to: { address: to }, sendAt });
    expect(await find(id)).toMatchObject({ nextAttemptAt: sendAt });
    const asked = Date.now();
    const { sendMessageNow } = await email.api.ask(NOW, { id });
    expect(Date.parse(sendMessageNow.sendAt)).toBeGreaterThanOrEqual(asked);
    const [{ parsed }] = (await email.mail.to(to)) as [any];
    expect(Date.parse(parsed.date)).toBe(wholeSecond(sendMessageNow.sendAt));
    expect(parsed.messageId).toBe(sendMessageNow.messageId);
    await sent(id);
    expect(await find(id)).toMatchObject({ status: 'SENT', attempts: 1, nextAttemptAt: null });
  });

  it('waiting for its next attempt shows when that is, and is tried at once on request', async () => {
    const to = someone();
    email.mail.treatments.set(to, { code: 451, at: 'MAIL' });
    const id = await email.send({ to: { address: to } });
    await email.tried(id);
    const { nextAttemptAt } = await find(id);
    expect(Date.parse(nextAttemptAt)).toBeGreaterThan(Date.now());
    email.mail.treatments.delete(to);
    await email.api.ask(NOW, { id });
    await email.mail.to(to);
    await sent(id);
    expect(await find(id)).toMatchObject({ status: 'SENT', attempts: 2, sendAt: null, nextAttemptAt: null });
  });

  it('is not sent again once it is finished, and that of another tenant is not found', async () => {
    const { id } = await sent(await email.send({ to: { address: someone() } }));
    const message = 'The message is SENT; only a QUEUED message can be sent now';
    expect(await email.api.refusal(NOW, { id })).toMatchObject({ code: 'FAILED_PRECONDITION', message });
    const another = await email.another();
    const waiting = await email.send({ to: { address: someone() }, sendAt: later() });
    for (const unknown of [waiting, 'x'])
      expect(await another.api.refusal(NOW, { id: unknown })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await find(waiting)).toMatchObject({ status: 'QUEUED', attempts: 0 });
  });

  it('is not rescheduled once an attempt has begun', async () => {
    const to = someone();
    email.mail.treatments.set(to, { code: 451, at: 'MAIL' });
    const id = await email.send({ to: { address: to }, sendAt: soon() });
    await email.tried(id);
    const begun = { code: 'FAILED_PRECONDITION', message: 'The message has already been attempted and cannot be rescheduled' };
    expect(await refusedReschedule(id, later())).toMatchObject(begun);
    expect(await cancel(id)).toMatchObject({ status: 'FAILED' });
    const good = await sent(await email.send({ to: { address: someone() } }));
    expect(await refusedReschedule(good.id, later())).toMatchObject({
      code: 'FAILED_PRECONDITION',
      message: 'The message is SENT and cannot be rescheduled',
    });
  });

  it('is either rescheduled, and nobody receives it, or refused and sent once, when its time comes meanwhile', async () => {
    const rounds: { id: string; to: string; isMoved: boolean }[] = [];
    for (let round = 0; round < 20; round++) {
      const to = someone();
      const id = await email.send({ to: { address: to }, sendAt: later() });
      await database().email.update({ where: { id }, data: { dueAt: new Date() } });
      job()['pollFound']();
      if (round % 2 > 0) await setImmediate();
      const answer = await reschedule(id, later()).catch(() => undefined);
      rounds.push({ id, to, isMoved: answer !== undefined });
    }
    for (const { id, to, isMoved } of rounds) {
      if (isMoved) expect(await find(id)).toMatchObject({ status: 'QUEUED', attempts: 0 });
      else expect(await sent(id)).toMatchObject({ status: 'SENT' });
      expect(arrivedAt(to)).toHaveLength(isMoved ? 0 : 1);
    }
  });

  it('is found by a filter, page by page, until its first attempt', async () => {
    const another = await email.another();
    const [ann, bob] = [someone(), someone()];
    const tag = { name: 'run', value: 'october' };
    const pageOf = (filter: object, nextToken?: string, limit?: number) => another.api.ask(PAGE, { filter, nextToken, limit });
    const ids = async (filter: object) => (await pageOf(filter)).messages.items.map(({ id }: any) => id);
    const now = await another.send({ to: { address: ann } });
    const first = await another.send({ to: { address: ann }, sendAt: later(), tags: [tag] });
    const second = await another.send({ to: { address: bob }, sendAt: later(), tags: [tag] });
    const third = await another.send({ to: { address: bob }, sendAt: later() });
    await another.finished(now);
    expect(await ids({ scheduled: true })).toEqual([third, second, first]);
    expect(await ids({ scheduled: false })).toEqual([now]);
    expect(await ids({ scheduled: null })).toEqual([third, second, first, now]);
    expect(await ids({ scheduled: true, to: ann })).toEqual([first]);
    expect(await ids({ scheduled: true, to: bob, status: 'QUEUED' })).toEqual([third, second]);
    expect(await ids({ scheduled: true, tag })).toEqual([second, first]);
    expect(await ids({ scheduled: true, status: 'SENT' })).toEqual([]);
    const seen: string[] = [];
    let token: string | undefined;
    do {
      const { items, nextToken } = (await pageOf({ scheduled: true }, token, 1)).messages;
      seen.push(...items.map(({ id }: any) => id));
      token = nextToken;
    } while (token);
    expect(seen).toEqual([third, second, first]);
    another.mail.treatments.set(ann, { code: 451, at: 'MAIL' });
    await another.api.ask(RESCHEDULE, { id: first, sendAt: soon() });
    await another.tried(first);
    expect(await ids({ scheduled: true })).toEqual([third, second]);
    expect(await ids({ scheduled: false })).toEqual([first, now]);
  });

  it('has a time in the future, at most 30 days ahead', async () => {
    const wrong = [
      [inMs(-SECOND_MS), 'must be in the future'],
      ['0001-01-01', 'must be in the future'],
      [inMs(30 * DAY_MS + 60 * SECOND_MS), 'must be at most 30 days ahead'],
      ['9999-12-31T23:59:59.999Z', 'must be at most 30 days ahead'],
    ] as const;
    const id = await email.send({ to: { address: someone() }, sendAt: inMs(30 * DAY_MS - SECOND_MS) });
    for (const [sendAt, right] of wrong) {
      expect(await email.refused({ sendAt })).toMatchObject({
        code: 'BAD_USER_INPUT',
        field: 'input.sendAt',
        message: `input.sendAt: ${right}`,
      });
      expect(await refusedReschedule(id, sendAt)).toMatchObject({
        code: 'BAD_USER_INPUT',
        field: 'sendAt',
        message: `sendAt: ${right}`,
      });
    }
    const unknown = { code: 'NOT_FOUND', message: 'The message does not exist' };
    const other = await email.another();
    expect(await refusedReschedule(id, later(), other.api)).toMatchObject(unknown);
    for (const senseless of ['01900000-0000-7000-8000-000000000000', '', '\0', '\ud800', 'x'.repeat(10_000)])
      expect(await refusedReschedule(senseless, later())).toMatchObject(unknown);
  });

  it('is one of many of a call, each with its own time or that of the defaults', async () => {
    const [common, own] = [later(), inMs(DAY_MS)];
    const message = { to: { address: someone() } };
    const input = {
      defaults: { subject: 's', textBody: 't', sendAt: common },
      messages: [message, { ...message, sendAt: own }, { ...message, sendAt: '2020-01-01' }],
    };
    const { sendMessages } = await email.api.ask(SEND_MANY, { input });
    expect(await find(sendMessages[0].id)).toMatchObject({ sendAt: common });
    expect(await find(sendMessages[1].id)).toMatchObject({ sendAt: own });
    expect(sendMessages[2].error).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.messages.2.sendAt' });
    const late = { ...input, defaults: { ...input.defaults, sendAt: '2020-01-01' } };
    const [refused] = (await email.api.ask(SEND_MANY, { input: late })).sendMessages;
    expect(refused.error).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.defaults.sendAt' });
  });

  it('is the same message for a repeat with its idempotency key and time, even after that time', async () => {
    const [idempotencyKey, sendAt] = [`key of ${someone()}`, soon()];
    const input = { to: { address: someone() }, idempotencyKey, sendAt };
    const id = await email.send(input);
    expect(await email.send(input)).toBe(id);
    expect(await email.refused({ ...input, sendAt: later() })).toMatchObject({ code: 'CONFLICT' });
    expect(await email.refused({ ...input, sendAt: null })).toMatchObject({ code: 'CONFLICT' });
    await sent(id);
    expect(await email.send(input)).toBe(id);
    expect(arrivedAt(input.to.address)).toHaveLength(1);
  });

  it('counts toward the daily limit of the day of acceptance', async () => {
    const limited = await Email.start({ TENANT_MAX_MAILS_PER_DAY: '1' });
    try {
      const input = { to: { address: someone() }, sendAt: later() };
      await limited.send(input);
      expect(await limited.refused(input)).toMatchObject({ code: 'RATE_LIMITED' });
    } finally {
      await limited.stop();
    }
  });

  it('is deleted by the erasure of its recipient, and nobody receives it', async () => {
    const another = await email.another();
    const admin = await email.server.api('admin');
    const [person, to] = [someone(), someone()];
    const from = await another.send({ to: { address: to }, replyTo: { address: person }, sendAt: later() });
    const both = await another.send({ to: [{ address: person }, { address: to }], sendAt: later() });
    const { tenantId } = await database().email.findUniqueOrThrow({ where: { id: from } });
    const erase = 'mutation($input:ErasePersonInput!){erasePerson(input:$input){id}}';
    const { id } = (await admin.ask(erase, { input: { tenantId, emailAddress: person } })).erasePerson;
    for (;;) {
      const { state } = (await admin.ask('query($id:ID!){personErasure(id:$id){state}}', { id })).personErasure;
      if (state === 'DONE') break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(await another.find(from)).toBeUndefined();
    expect(await another.find(both)).toMatchObject({ status: 'QUEUED', recipients: [{ address: to }] });
  });
});

describe('the mail queue', () => {
  let email: Email;
  beforeAll(async () => {
    email = await Email.start();
  });
  afterAll(() => email.stop());

  const queue = async () => {
    const metrics = await (await fetch(`${email.server.address}/metrics`)).text();
    const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)![1]);
    return { length: figure('email_queue_length'), age: figure('email_queue_oldest_seconds') };
  };

  it('contains a scheduled mail from its time on, with that as its age, and is counted from an index', async () => {
    const job = email.server.app.get(OutboxJob, { strict: false });
    const database = allRowsOf('no API shows the plan of a statement', email.server);
    for (let sent = 0; sent < 3; sent++) await email.send({ to: { address: someone() }, sendAt: later() });
    expect(await queue()).toEqual({ length: 0, age: 0 });
    job['backOffUntilMs'] = Infinity; // nothing is claimed
    const sendAt = soon();
    await email.send({ to: { address: someone() }, sendAt });
    let now = await queue();
    for (; now.length === 0; now = await queue()) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(sendAt));
    expect(now.length).toBe(1);
    expect(now.age).toBeLessThanOrEqual((Date.now() - Date.parse(sendAt)) / SECOND_MS);
    if (databaseKind === 'postgresql') await database.$executeRawUnsafe('ANALYZE "Email"');
    const { plan } = await explained(database, backlogStatement(dialect, new Date()));
    if (databaseKind === 'sqlite') expect(plan).toMatch(/SEARCH Email USING COVERING INDEX Email_status_dueAt_id_sendAt_idx/);
    else expect(plan).not.toMatch(/Sort/);
  });
});

describe('a node that is killed with SIGKILL', () => {
  it('leaves its scheduled mails to the next node, which sends each once, at its time', async () => {
    const mail = await MailServer.start();
    const deployment = await Deployment.create({ PORT: '0', SMTP_URL: mail.url, EMAIL_FROM: FROM });
    try {
      let server = deployment.start();
      const address = await server.ready();
      const key = (await server.until(/psk_\w+(?=\n)/))!;
      const [to, sendAt] = [someone(), inMs(6 * SECOND_MS)];
      const input = { to: { address: to }, subject: 's', textBody: 't', sendAt };
      const { id } = (await new Api(address, 'email', key).ask(SEND, { input })).sendMessage;
      await server.stop('SIGKILL');
      server = deployment.start();
      const api = new Api(await server.ready(), 'email', key);
      const [{ parsed }] = (await mail.to(to)) as [any];
      expect(Date.parse(parsed.date)).toBe(wholeSecond(sendAt));
      for (;;) {
        const [message] = (await api.ask(PAGE, { filter: { id } })).messages.items;
        if (message.status !== 'QUEUED') {
          expect(message).toMatchObject({ status: 'SENT', attempts: 1, sendAt });
          expect(Date.parse(message.sentAt)).toBeGreaterThanOrEqual(Date.parse(sendAt));
          break;
        }
      }
      expect(mail.mails).toHaveLength(1);
    } finally {
      await deployment.remove();
      await mail.stop();
    }
  });
});
