import { BackgroundJobs } from '../src/common/jobs/background-jobs.js';
import { allRowsOf } from './support/behind-the-api.js';
import { feedbackReport, statusReport } from './support/bounce-reports.js';
import { Email, someone } from './support/email.js';

const FIELDS = '{address reason list createdAt expiresAt messageId diagnostic}';
const CREATE = `mutation($input:[CreateSuppressionInput!]!){createSuppressions(input:$input){suppression${FIELDS} error{code field message}}}`;
const DELETE = `mutation($address:String!,$list:String){deleteSuppression(address:$address,list:$list)${FIELDS}}`;
const PAGE = `query($filter:SuppressionsFilter,$nextToken:String,$limit:Int){suppressions(filter:$filter,nextToken:$nextToken,limit:$limit){items${FIELDS} nextToken}}`;
const STATES =
  'query($id:ID!){messages(filter:{id:$id}){items{status attempts lastError list recipients{address status attempts lastError suppressed}}}}';
const REPORT = 'mutation($report:String!){reportBounce(report:$report){kind}}';

describe('a suppressed address', () => {
  let email: Email;
  beforeAll(async () => (email = await Email.start({ RETURN_PATH_DOMAIN: 'bounces.sender.example' })));
  afterAll(() => email.stop());

  const create = async (input: object | object[], by = email): Promise<any[]> =>
    (await by.api.ask(CREATE, { input: [input].flat() })).createSuppressions;
  const page = async (filter?: object, by = email): Promise<any[]> => (await by.api.ask(PAGE, { filter })).suppressions.items;
  const state = async (id: string): Promise<any> => (await email.api.ask(STATES, { id })).messages.items[0];
  const statusOf = async (id: string) => {
    await email.finished(id);
    return (await state(id)).status;
  };
  /** A message that was sent to an address, and its return path. */
  const sent = async (address = someone()) => {
    const id = await email.send({ to: { address } });
    await email.finished(id);
    const mails = await email.mail.to(address);
    return { id, address, to: mails.at(-1)!.from };
  };

  it('is not tried, and its status in the message says so; others receive theirs', async () => {
    const [suppressed, other] = [someone(), someone()];
    await create({ address: suppressed });
    const id = await email.send({ to: [{ address: suppressed }, { address: other }] });
    await email.finished(id);
    const message = await state(id);
    expect(message).toMatchObject({ status: 'SENT', attempts: 1, lastError: expect.stringContaining('suppressed (MANUAL)') });
    expect(message.recipients).toEqual([
      { address: suppressed, status: 'FAILED', attempts: 0, suppressed: 'MANUAL', lastError: message.lastError },
      { address: other, status: 'SENT', attempts: 1, suppressed: null, lastError: null },
    ]);
    expect(email.mail.mails.filter(({ to }) => to.includes(suppressed))).toEqual([]);
  });

  it('finishes a message that has no other recipient, and one that waits for another attempt', async () => {
    const [suppressed, waiting] = [someone(), someone()];
    email.mail.recipients.set(waiting, 450);
    const id = await email.send({ to: { address: waiting } });
    await email.tried(id);
    await create([{ address: suppressed.toUpperCase() }, { address: waiting }]);
    email.mail.recipients.delete(waiting);
    await email.passTime();
    expect(await statusOf(await email.send({ to: { address: suppressed } }))).toBe('FAILED');
    await email.finished(id);
    expect(await state(id)).toMatchObject({ status: 'FAILED', recipients: [{ attempts: 1, suppressed: 'MANUAL' }] });
    expect(email.mail.mails.filter(({ to }) => to.includes(waiting))).toEqual([]);
  });

  it('is suppressed by a report of a hard bounce and by a complaint, with the text of the server', async () => {
    const [bounced, complained] = [await sent(), await sent()];
    await email.api.ask(REPORT, { report: statusReport({ to: bounced.to, recipient: bounced.address }) });
    await email.api.ask(REPORT, { report: feedbackReport({ to: complained.to }) });
    const [first] = await page({ address: bounced.address });
    expect(first).toMatchObject({ reason: 'HARD_BOUNCE', list: null, messageId: bounced.id, expiresAt: null });
    expect(first.diagnostic).toMatch(/^550 5\.1\.1/);
    expect(await page({ address: complained.address })).toMatchObject([{ reason: 'COMPLAINT', messageId: complained.id }]);
    for (const { address } of [bounced, complained]) expect(await statusOf(await email.send({ to: { address } }))).toBe('FAILED');
  });

  it('is suppressed by the fifth soft bounce within seven days, not by four or older ones', async () => {
    const address = someone();
    const soften = async () => {
      const { to } = await sent(address);
      await email.api.ask(REPORT, {
        report: statusReport({ to, recipient: address, status: '4.2.2', diagnostic: 'smtp; 452 4.2.2 mailbox full' }),
      });
    };
    const older = allRowsOf('only time makes a bounce old', email.server);
    await soften();
    const bouncedAt = new Date(Date.now() - 8 * 24 * 3_600_000);
    await older.emailRecipient.updateMany({ where: { address }, data: { bouncedAt } });
    for (let times = 0; times < 4; times++) await soften();
    expect(await page({ address })).toEqual([]);
    await soften();
    expect(await page({ address })).toMatchObject([
      { reason: 'HARD_BOUNCE', diagnostic: expect.stringContaining('mailbox full') },
    ]);
  });

  it.each([
    ['550 5.1.1 no such user', true],
    ['550 5.1.10 the domain takes no mail', true],
    ['550 user unknown', true],
    ['550 5.7.1 we do not like your address', false],
    ['552 5.2.2 mailbox full', false],
    ['550 5.1.8 bad sender address', false],
    ['550 5.1.0 Sender rejected', false],
    ['550 5.1.0 Address rejected', true],
    ['550 5.2.1 the user is receiving mail at a rate that prevents additional messages', false],
    ['550 5.2.1 this mailbox has been blocked due to inactivity', true],
  ])('is suppressed by a refusal that says that it does not exist: %s %s', async (words, isGone) => {
    const address = someone();
    email.mail.recipients.set(address, Number(words.slice(0, 3)));
    email.mail.words.set(address, words.slice(4));
    const id = await email.send({ to: { address } });
    await email.finished(id);
    expect((await page({ address })).map(({ reason, messageId }) => ({ reason, messageId }))).toEqual(
      isGone ? [{ reason: 'HARD_BOUNCE', messageId: id }] : [],
    );
  });

  it.each([
    ["554 5.1.1 delivery error: dd This user doesn't have an account", true],
    ['554 5.7.1 rejected as spam, no such user or not', false],
  ])('is suppressed by a refusal of its address after the content: %s', async (words, isGone) => {
    const address = someone();
    email.mail.treatments.set(address, { code: Number(words.slice(0, 3)), at: 'DATA' });
    email.mail.words.set(address, words.slice(4));
    const id = await email.send({ to: [{ address }, { address: someone() }] });
    await email.finished(id);
    const found = await page({ address });
    expect(found.map(({ reason, messageId }) => ({ reason, messageId }))).toEqual(
      isGone ? [{ reason: 'HARD_BOUNCE', messageId: id }] : [],
    );
    expect((await state(id)).recipients).toMatchObject([
      { status: 'FAILED', lastError: expect.stringContaining(words) },
      { status: 'SENT' },
    ]);
  });

  it('receives mails that ignore its reason, except for HARD_BOUNCE and COMPLAINT', async () => {
    const address = someone();
    await create([{ address }, { address, reason: 'UNSUBSCRIBED' }]);
    expect(await statusOf(await email.send({ to: { address }, ignoreSuppressions: ['MANUAL'] }))).toBe('FAILED');
    expect(await statusOf(await email.send({ to: { address }, ignoreSuppressions: ['MANUAL', 'UNSUBSCRIBED'] }))).toBe('SENT');
    for (const reason of ['HARD_BOUNCE', 'COMPLAINT']) {
      expect(await email.refused({ ignoreSuppressions: [reason] })).toMatchObject({
        code: 'BAD_USER_INPUT',
        field: 'input.ignoreSuppressions.0',
      });
    }
  });

  it('receives the mails of other lists when it is suppressed on one', async () => {
    const address = someone();
    await create({ address, list: 'news', reason: 'UNSUBSCRIBED' });
    const mail = (list?: string) => ({ to: { address }, ...(list && { unsubscribe: { list } }) });
    const ids = [await email.send(mail('news')), await email.send(mail('offers')), await email.send(mail())];
    const found = [];
    for (const id of ids) found.push([await statusOf(id), (await state(id)).list]);
    expect(found).toEqual([
      ['FAILED', 'news'],
      ['SENT', 'offers'],
      ['SENT', null],
    ]);
  });

  it('receives mails again once the suppression has expired, and is removed', async () => {
    const address = someone();
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const [{ suppression }] = await create({ address, expiresAt: soon });
    expect(suppression).toMatchObject({ address, reason: 'MANUAL', expiresAt: soon });
    const rows = allRowsOf('only time ends a suppression', email.server).emailSuppression;
    await rows.updateMany({ where: { address }, data: { expiresAt: new Date(Date.now() - 1) } });
    expect(await page({ address })).toEqual([]);
    expect((await email.api.refusal(DELETE, { address })).code).toBe('NOT_FOUND');
    expect(await statusOf(await email.send({ to: { address } }))).toBe('SENT');
    await email.server.app.get(BackgroundJobs, { strict: false }).runNow();
    expect(await rows.count({ where: { address } })).toBe(0);
  });

  it('is stored once however often it is created, with the latest expiry', async () => {
    const address = someone();
    const [first] = await create({ address });
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const results = await create([
      { address, expiresAt: soon },
      { address: address.toUpperCase(), expiresAt: soon },
    ]);
    expect(results).toEqual([1, 2].map(() => ({ suppression: { ...first.suppression, expiresAt: soon }, error: null })));
    expect(await page({ address })).toHaveLength(1);
  });

  it('is one of a thousand that one call stores, in the order of the input, all or none', async () => {
    const by = await email.another();
    const input = Array.from({ length: 1_000 }, (_, index) => ({ address: `p${index}@many.example`, reason: 'HARD_BOUNCE' }));
    input[7]!.address = 'no address';
    const results = await create(input, by);
    expect(results).toHaveLength(1_000);
    expect(results[7]).toEqual({
      suppression: null,
      error: expect.objectContaining({ code: 'BAD_USER_INPUT', field: 'input.7.address' }),
    });
    expect(results[8].suppression.address).toBe('p8@many.example');
    for (const wrong of [[], [...input, ...input]]) {
      expect(await by.api.refusal(CREATE, { input: wrong })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input' });
    }
    const found: any[] = [];
    let nextToken: string | null = null;
    do {
      const { suppressions }: any = await by.api.ask(PAGE, { filter: { reason: 'HARD_BOUNCE' }, nextToken, limit: 400 });
      found.push(...suppressions.items);
      nextToken = suppressions.nextToken;
    } while (nextToken);
    expect(new Set(found.map(({ address }) => address)).size).toBe(999);
  });

  it.each([
    [{ address: 'nobody' }, 'address'],
    [{ address: 'a@example.com', list: '' }, 'list'],
    [{ address: 'a@example.com', list: ' ' }, 'list'],
    [{ address: 'a@example.com', list: 'ö'.repeat(129) }, 'list'],
    [{ address: 'a@example.com', list: 'a\nb' }, 'list'],
    [{ address: 'a@example.com', expiresAt: '2020-01-01' }, 'expiresAt'],
  ])('is refused with its field if it is invalid: %j', async (input, field) => {
    const [{ suppression, error }] = await create(input);
    expect(suppression).toBeNull();
    expect(error).toMatchObject({ code: 'BAD_USER_INPUT', field: `input.0.${field}`, message: expect.stringContaining(field) });
  });

  it('receives mails again after deleteSuppression, which removes all reasons on one list or on all mails', async () => {
    const address = someone();
    await create([{ address }, { address, reason: 'COMPLAINT' }, { address, list: 'news' }]);
    const { deleteSuppression } = await email.api.ask(DELETE, { address: address.toUpperCase() });
    expect(deleteSuppression).toMatchObject({ address, reason: 'COMPLAINT', list: null });
    expect(await page({ address })).toMatchObject([{ list: 'news' }]);
    expect(await statusOf(await email.send({ to: { address } }))).toBe('SENT');
    expect((await email.api.ask(DELETE, { address, list: 'news' })).deleteSuppression.list).toBe('news');
    expect((await email.api.refusal(DELETE, { address, list: 'news' })).code).toBe('NOT_FOUND');
  });

  it('belongs to its tenant alone', async () => {
    const by = await email.another();
    const address = someone();
    await create({ address }, by);
    expect(await page({ address })).toEqual([]);
    expect(await statusOf(await email.send({ to: { address } }))).toBe('SENT');
    expect((await email.api.refusal(DELETE, { address })).code).toBe('NOT_FOUND');
  });
});
