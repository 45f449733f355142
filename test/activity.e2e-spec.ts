import { type Counting, countPeriods, countStatement } from '../src/common/lists/counted-periods.js';
import { DAYS, HOURS, type PeriodKind, startsOf } from '../src/common/lists/periods.js';
import { lowestIdAt } from '../src/common/base/ids.js';
// Past the API: statements whose plans are examined.
import { recordsCounted } from '../src/modules/document-log/logs/logs.queries.js';
import { messagesCounted as mailsCounted } from '../src/modules/email/messages/email-messages.queries.js';
import { messagesCounted as pushesCounted } from '../src/modules/websockets-manager/messages/messages.queries.js';
import { allRowsOf, databaseOf } from './support/behind-the-api.js';
import { Email, someone } from './support/email.js';
import { dialect, explained } from './support/plans.js';
import { TestServer } from './support/server.js';
import { inSeconds, Push, until } from './support/websockets.js';

declare const databaseKind: 'sqlite' | 'postgresql';
const isPostgres = databaseKind === 'postgresql';
/** At night, with more rows than are counted. */
const isLong = process.env.TEST_LONG === '1';
const atMost = isLong ? 'at most the newest 50,000 ' : '';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAILS = 'query($hours:Int){messageActivity(hours:$hours){countedFrom hours{from queued sent failed}}}';
const PUSHES = 'query($hours:Int){messageActivity(hours:$hours){countedFrom hours{from pending delivered cancelled}}}';
const RECORDS = 'query($days:Int){logActivity(days:$days){countedFrom days{from records}}}';
const BATCH = 'mutation($input:[CreateLogInput!]!){createLogBatch(input:$input){results{error{message}}}}';

/** Waits for the next hour if the current one is about to end, so that a test has an hour for itself. */
async function inOneHour(): Promise<void> {
  const leftMs = HOUR_MS - (Date.now() % HOUR_MS);
  if (leftMs < 50_000) await new Promise((resolve) => setTimeout(resolve, leftMs + 10));
}

const startOf = (ms: number, unit = HOUR_MS): number => Math.floor(ms / unit) * unit;
const timesOf = (periods: { from: string }[]): number[] => periods.map(({ from }) => Date.parse(from));

describe('mail numbers', () => {
  let email: Email;
  beforeAll(async () => {
    email = await Email.start();
  });
  afterAll(() => email.stop());

  const database = () => allRowsOf('only time gives a mail an earlier hour', email.server);

  it('cover the last 24 full hours by default, oldest first, with 0 for hours without mail', async () => {
    const own = await email.another();
    await inOneHour();
    const before = startOf(Date.now());
    const { countedFrom, hours } = (await own.api.ask(MAILS)).messageActivity;
    expect(timesOf(hours)).toEqual(Array.from({ length: 24 }, (_, index) => before - (23 - index) * HOUR_MS));
    expect(Date.parse(countedFrom)).toBe(before - 23 * HOUR_MS);
    for (const hour of hours) expect(hour).toMatchObject({ queued: 0, sent: 0, failed: 0 });
  });

  it('do not include push messages that the same operation asks for', async () => {
    const key = await email.server.createKey();
    const [mails, pushes] = [await email.server.api('email', key), await email.server.api('websockets-manager', key)];
    const counted = ({ messageActivity }: { messageActivity: { hours: object[] } }) =>
      Object.entries(messageActivity.hours[0]!).flatMap(([name, value]) => (typeof value === 'number' ? [name] : []));
    for (let n = 0; n < 10; n++) {
      const asked = [mails.ask(MAILS), pushes.ask(PUSHES), mails.ask(MAILS), pushes.ask(PUSHES)];
      const [ofMails, ofPushes, ...again] = (await Promise.all(asked)).map(counted);
      expect([ofMails, ofPushes]).toEqual([
        ['queued', 'sent', 'failed'],
        ['pending', 'delivered', 'cancelled'],
      ]);
      expect(again).toEqual([ofMails, ofPushes]);
    }
  });

  it('are counted by state and hour of acceptance, at both edges of an hour, for one tenant only', async () => {
    await inOneHour();
    const [own, other] = [await email.another(), await email.another()];
    const [refused, later] = [someone(), someone()];
    email.mail.recipients.set(refused, 550).set(later, 450);
    const sent = await own.send({ to: { address: someone() } });
    await own.finished(sent);
    await own.finished(await own.send({ to: { address: refused } }));
    for (let n = 0; n < 2; n++) await own.tried(await own.send({ to: { address: later } }));
    await other.finished(await other.send({ to: { address: someone() } }));
    const { messageId: _, idempotencyKey: __, ...row } = await database().email.findUniqueOrThrow({ where: { id: sent } });
    const current = startOf(Date.now());
    const at = (ms: number, low: string) => lowestIdAt(ms).replace(/0000-0000-000000000000$/, low);
    const ids = [
      at(current - 1, '7fff-bfff-ffffffffffff'),
      at(current - HOUR_MS, '7000-8000-000000000000'),
      at(current - HOUR_MS - 1, '7fff-bfff-ffffffffffff'),
      at(current - 3 * HOUR_MS - 1, '7fff-bfff-ffffffffffff'),
    ];
    const data = ids.map((id) => ({ ...row, id, messageId: `<${id}>`, idempotencyKey: null }));
    await database().email.createMany({ data });
    const { countedFrom, hours } = (await own.api.ask(MAILS, { hours: 4 })).messageActivity;
    expect(Date.parse(countedFrom)).toBe(current - 3 * HOUR_MS);
    expect(hours.map(({ queued, sent, failed }: any) => [queued, sent, failed])).toEqual([
      [0, 0, 0],
      [0, 1, 0],
      [0, 2, 0],
      [2, 1, 1],
    ]);
    expect((await own.api.ask(MAILS, { hours: 1 })).messageActivity.hours).toHaveLength(1);
    expect((await own.api.ask(MAILS, { hours: 336 })).messageActivity.hours).toHaveLength(336);
    expect((await other.api.ask(MAILS, { hours: 4 })).messageActivity.hours.at(-1)).toMatchObject({ queued: 0, sent: 1 });
  });

  it('start at the newest mails when there are more than the maximum, and leave out earlier hours', async () => {
    await inOneHour();
    const own = await email.another();
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push(await own.send({ to: { address: someone() } }));
    for (const id of ids) await own.finished(id);
    const counting = mailsCounted(dialect);
    const ofTenant = databaseOf('the most that a count reads is no setting', email.server).of(
      await email.server.tenantIdOf(own.api),
    );
    const starts = startsOf(HOURS, 24);
    const whole = await countPeriods(ofTenant, counting, { starts, kind: HOURS, most: 5 });
    expect(whole.periods).toHaveLength(24);
    expect(whole.periods.at(-1)!.counts).toEqual([0, 5, 0]);
    const some = await countPeriods(ofTenant, counting, { starts, kind: HOURS, most: 3 });
    expect(some.periods).toHaveLength(1);
    const second = await own.find(ids[1]!);
    expect(some.countedFrom.getTime()).toBe(Date.parse(second.createdAt) + 1);
    const newer = (await own.page()).items.filter(({ createdAt }: any) => Date.parse(createdAt) >= some.countedFrom.getTime());
    expect(some.periods[0]!.counts).toEqual([0, newer.length, 0]);
    expect(newer.length).toBeLessThanOrEqual(3);
  });

  it.each([0, -1, 337, 2_147_483_647])('are refused for %s hours', async (hours) => {
    expect(await email.api.refusal(MAILS, { hours })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'hours',
      message: 'hours: must be from 1 to 336',
    });
  });

  it.each(['24', 1.5, 2 ** 31])('are refused for %j, which is not an Int', async (hours) => {
    expect(await email.api.refusal(MAILS, { hours })).toMatchObject({ code: 'BAD_USER_INPUT' });
  });
});

describe('push and log numbers', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  it('count messages by state, without those of another tenant', async () => {
    await inOneHour();
    const [push, other] = [new Push(await server.api('websockets-manager')), new Push(await server.api('websockets-manager'))];
    await push.push(['a', 'b', 'c'], 'waits', { expiresAt: inSeconds(600) });
    await push.push(['d', 'e'], 'cancelled, since nobody is connected');
    const { items } = (await push.api.ask('{messages{items{id recipient}}}')).messages;
    const { id } = items.find(({ recipient }: any) => recipient === 'a');
    await push.api.ask(`mutation{cancelMessage(id:"${id}"){id}}`);
    await other.push(['a'], 'm', { expiresAt: inSeconds(600) });
    await push.connect('b');
    await push.settled(items.find(({ recipient }: any) => recipient === 'b').id, 'DELIVERED');
    const { hours } = (await push.api.ask(PUSHES, { hours: 2 })).messageActivity;
    expect(hours).toHaveLength(2);
    expect(hours[0]).toMatchObject({ pending: 0, delivered: 0, cancelled: 0 });
    expect(hours[1]).toMatchObject({ pending: 1, delivered: 1, cancelled: 3 });
    expect((await other.api.ask(PUSHES)).messageActivity.hours.at(-1)).toMatchObject({ pending: 1, cancelled: 0 });
    expect(await push.api.refusal(PUSHES, { hours: 0 })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'hours' });
  });

  it(`count ${atMost}messages using indexes only`, async () => {
    const push = new Push(await server.api('websockets-manager'));
    const recipients = Array.from({ length: 1_000 }, (_, index) => `r${index}`);
    await inOneHour();
    for (let n = 0; n < (isLong ? 51 : 5); n++) await push.push(recipients, 'm', { expiresAt: inSeconds(600) });
    const { countedFrom, hours } = (await push.api.ask(PUSHES)).messageActivity;
    const counted = hours.reduce((sum: number, { pending }: any) => sum + pending, 0);
    expect(counted).toBeLessThanOrEqual(isLong ? 50_000 : 5_000);
    expect(counted).toBeGreaterThan(isLong ? 40_000 : 4_999);
    expect(Date.parse(hours[0].from)).toBe(startOf(Date.parse(countedFrom)));
    await expectIndexes(
      await server.tenantIdOf(push.api),
      pushesCounted(),
      HOURS,
      /"?Message_(pkey|tenantId_status_idx)|PRIMARY KEY/,
    );
  });

  it(`count ${atMost}records by the day of their dateTime, without later days or another tenant`, async () => {
    await inOneHour();
    const [log, other] = [await server.api('document-log'), await server.api('document-log')];
    const today = startOf(Date.now(), DAY_MS);
    const record = (ms: number) => ({ documentId: 'd', documentType: 't', dateTime: new Date(ms).toISOString() });
    const times = [today, today + DAY_MS - 1, today + DAY_MS, today - 1, today - DAY_MS, today - DAY_MS - 1, 0];
    await log.ask(BATCH, { input: times.map(record) });
    await other.ask(BATCH, { input: [record(today)] });
    const { countedFrom, days } = (await log.ask(RECORDS, { days: 3 })).logActivity;
    expect(Date.parse(countedFrom)).toBe(today - 2 * DAY_MS);
    expect(timesOf(days)).toEqual([today - 2 * DAY_MS, today - DAY_MS, today]);
    expect(days.map(({ records }: any) => records)).toEqual([1, 2, 2]);
    expect((await log.ask(RECORDS)).logActivity.days).toHaveLength(30);
    expect((await log.ask(RECORDS, { days: 90 })).logActivity.days).toHaveLength(90);
    for (const wrong of [0, 91, -5]) {
      expect(await log.refusal(RECORDS, { days: wrong })).toMatchObject({
        code: 'BAD_USER_INPUT',
        field: 'days',
        message: 'days: must be from 1 to 90',
      });
    }
    for (let n = 0; n < (isLong ? 25 : 3); n++) {
      await log.ask(BATCH, {
        input: Array.from({ length: 2_000 }, (_, index) => record(today - 5 * DAY_MS - n * 2_000 - index)),
      });
    }
    const many = (await log.ask(RECORDS)).logActivity;
    const newest = isLong ? many.days : many.days.slice(-7); // only the bound makes the list shorter
    expect(timesOf(newest)).toEqual([6, 5, 4, 3, 2, 1, 0].map((ago) => today - ago * DAY_MS));
    expect(newest.map(({ records }: any) => records)).toEqual([isLong ? 49_994 : 5_999, 1, 0, 0, 1, 2, 2]);
    if (isLong) expect(Date.parse(many.countedFrom)).toBe(today - 5 * DAY_MS - 49_994);
    await expectIndexes(await server.tenantIdOf(log), recordsCounted(), DAYS, /Log_tenantId_dateTime_id_idx/);
  });

  it('count mails using indexes only', async () => {
    const database = allRowsOf('no API makes 4,000 mails that are never sent', server);
    const start = Date.now();
    const common = { tenantId: 'of many', messageId: 'm', fromAddress: 'a', subject: 's', attempts: 1, hasAttachments: false };
    const at = new Date(start);
    const data = Array.from({ length: 4_000 }, (_, index) => ({
      ...common,
      id: lowestIdAt(start - index * 1_000),
      status: index % 2 ? ('SENT' as const) : ('FAILED' as const),
      createdAt: at,
      giveUpAt: at,
      dueAt: new Date(start + DAY_MS),
    }));
    for (let from = 0; from < data.length; from += 500) await database.email.createMany({ data: data.slice(from, from + 500) });
    await expectIndexes('of many', mailsCounted(dialect), HOURS, /Email_tenantId_(status_)?id_idx/);
  });

  async function expectIndexes(tenantId: string, counting: Counting, kind: PeriodKind, indexes: RegExp): Promise<void> {
    const database = allRowsOf('no API shows the plan of a statement', server);
    const own = databaseOf('no API shows the plan of a statement', server).of(tenantId);
    const statement = countStatement(own, counting, { starts: startsOf(kind, kind.max), kind });
    const walksOf = (plan: string) => plan.split('\n').filter((line) => /(Scan .*|SEARCH )"?(Email|Message|Log)\b/.test(line));
    // PostgreSQL scans indexes only where VACUUM marked pages as visible. A transaction of the server can prevent that.
    const isPlanned = async () => {
      await database.$executeRawUnsafe(`VACUUM (ANALYZE) ${counting.table}`);
      return walksOf((await explained(database, statement)).plan).every(
        (walk) => indexes.test(walk) && walk.includes('Index Only Scan'),
      );
    };
    if (isPostgres) await until(isPlanned, 20_000).catch(() => undefined); // what is wrong shows below
    const { text, plan } = await explained(database, statement);
    const shown = `${text}\n${plan}`;
    const walks = walksOf(plan);
    expect(walks).toHaveLength(counting.counts.length + 1);
    for (const walk of walks) expect(walk).toMatch(indexes);
    for (const walk of walks)
      expect(walk).toMatch(isPostgres ? /Index Only Scan/ : /SEARCH \S+ USING (COVERING INDEX|PRIMARY KEY)/);
    expect(shown).not.toMatch(/Sort|TEMP B-TREE/);
  }
});
