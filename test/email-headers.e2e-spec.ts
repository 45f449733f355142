// @nightly postgresql: no SQL of its own
import { TenantData } from '../src/common/tenants/tenant-data.js';
import { Email, someone } from './support/email.js';
import { PolledWebhook } from './support/polled-webhook.js';

const SHOWN =
  'query($filter:EmailMessagesFilter){messages(filter:$filter){items{id tags{name value} content{headers{name value}}}}}';

let email: Email;
beforeAll(async () => {
  email = await Email.start();
});
afterAll(() => email.stop());

const shown = async (filter: object, by = email): Promise<any[]> => (await by.api.ask(SHOWN, { filter })).messages.items;
const header = (name: string, value: string) => email.refused({ headers: { name, value } });
const sourceTo = async (recipient: string): Promise<string> => (await email.mail.to(recipient))[0]!.raw;

it('sendMessage writes each allowed header once, encodes non-ASCII text, and shows the values as given before and after sending', async () => {
  const recipient = someone();
  const headers = [
    { name: 'X-Order', value: 'Größe – 漢字' },
    { name: 'X-Long', value: 'a'.repeat(900) },
    { name: 'X-Words', value: Array(60).fill('word').join(' ') },
    { name: 'x-encoded', value: '=?utf-8?Q?not_what_it_says?=' },
    { name: 'List-Id', value: 'Neuigkeiten für alle <news.sender.example>' },
    { name: 'List-Help', value: '<https://sender.example/help>' },
    { name: 'In-Reply-To', value: '<a@b.example>' },
    { name: 'References', value: '<a@b.example> <c@d.example>' },
    { name: 'Precedence', value: 'bulk' },
    { name: 'Feedback-ID', value: 'a:b:c:sender' },
    { name: 'Auto-Submitted', value: 'auto-replied' },
  ];
  email.mail.recipients.set(recipient, 450);
  const id = await email.send({ to: { address: recipient }, headers });
  await email.tried(id);
  expect((await shown({ id }))[0].content.headers).toEqual(headers);
  email.mail.recipients.delete(recipient);
  await email.passTime();
  await email.finished(id);
  expect((await shown({ id }))[0].content.headers).toEqual(headers);
  const [{ parsed }] = (await email.mail.to(recipient)) as any;
  const got = Object.fromEntries(parsed.headers.map(({ key, value }: any) => [key, value]));
  expect(got).toMatchObject({
    'x-order': expect.stringMatching(/^(=\?utf-8\?[QB]\?\S+\?=\s*)+$/i),
    'x-long': 'a'.repeat(900),
    'x-words': Array(60).fill('word').join(' '),
    'x-encoded': expect.not.stringContaining('not_what_it_says?= '),
    'list-id': expect.stringMatching(/^=\?utf-8\?.*\?= <news\.sender\.example>$/is),
    'list-help': '<https://sender.example/help>',
    'in-reply-to': '<a@b.example>',
    references: '<a@b.example> <c@d.example>',
    precedence: 'bulk',
    'feedback-id': 'a:b:c:sender',
    'auto-submitted': 'auto-replied',
  });
  expect(parsed.headers.filter(({ key }: any) => key === 'auto-submitted')).toHaveLength(1);
});

it.each([
  ...['Subject', 'Bcc', 'From', 'Content-Type', 'DKIM-Signature', 'Return-Path', 'List', 'X-', 'X-A:', 'X A', 'X-Ä'].map(
    (name) => [name, 'v', 'name'],
  ),
  ['List-Unsubscribe', '<https://a.example>', 'name'],
  ['list-unsubscribe-post', 'List-Unsubscribe=One-Click', 'name'],
  ['X-A\r\nBcc', 'v', 'name'],
  [`X-${'a'.repeat(63)}`, 'v', 'name'],
  ...['a\r\nBcc: x@y.example', 'a\nb', 'a\rb', 'a\0b', 'a\u2028b', '', ' ', 'a'.repeat(901)].map((value) => [
    'X-A',
    value,
    'value',
  ]),
  ['References', 'no id', 'value'],
  ['In-Reply-To', '<ä@b.example>', 'value'],
  ['Precedence', 'two words', 'value'],
  ['List-Help', 'Größe', 'value'],
  ['List-Id', 'no brackets', 'value'],
])('sendMessage refuses the header %j: %j, and names the field', async (name, value, at) => {
  expect(await header(name!, value!)).toMatchObject({ code: 'BAD_USER_INPUT', field: `input.headers.0.${at}` });
});

it('sendMessage refuses too many or too large headers, and duplicates', async () => {
  const many = (count: number, value: string) => Array.from({ length: count }, (_, index) => ({ name: `X-${index}`, value }));
  const bad = (field: string) => ({ code: 'BAD_USER_INPUT', field });
  expect(await email.refused({ headers: many(31, 'v') })).toMatchObject(bad('input.headers'));
  expect(await email.refused({ headers: many(20, 'v'.repeat(900)) })).toMatchObject(bad('input.headers'));
  const twice = [
    { name: 'X-A', value: '1' },
    { name: 'x-a', value: '2' },
  ];
  expect(await email.refused({ headers: twice })).toMatchObject(bad('input.headers.1.name'));
  const tags = [
    { name: 'a', value: '1' },
    { name: 'a', value: '2' },
  ];
  expect(await email.refused({ tags })).toMatchObject(bad('input.tags.1.name'));
  expect(await email.refused({ tags: many(11, 'v') })).toMatchObject(bad('input.tags'));
  expect(await email.refused({ tags: [{ name: 'a', value: 'v'.repeat(257) }] })).toMatchObject(bad('input.tags.0.value'));
});

it('messages are found by a tag, together with every other filter, and none of another tenant', async () => {
  const [recipient, other] = [someone(), await email.another()];
  const tags = [
    { name: 'campaign', value: 'autumn' },
    { name: 'kind', value: '' },
  ];
  const webhook = await PolledWebhook.create(email.api, 'MESSAGE_SENT');
  const first = await email.send({ to: { address: recipient }, tags });
  const second = await email.send({ to: { address: someone() }, tags: tags.slice(0, 1) });
  await email.send({ to: { address: recipient }, tags: [{ name: 'campaign', value: 'winter' }] });
  const theirs = await other.send({ to: { address: recipient }, tags });
  await Promise.all([email.finished(first), email.finished(second), other.finished(theirs)]);
  const ids = async (filter: object, by = email) => (await shown(filter, by)).map(({ id }) => id);
  const tag = tags[0];
  expect(await ids({ tag })).toEqual([second, first]);
  expect(await ids({ tag, to: recipient })).toEqual([first]);
  expect(await ids({ tag: tags[1] })).toEqual([first]);
  expect(await ids({ tag, status: 'SENT', id: second })).toEqual([second]);
  expect(await ids({ tag, status: 'QUEUED' })).toEqual([]);
  expect(await ids({ tag: { name: 'campaign', value: 'Autumn' } })).toEqual([]);
  expect(await ids({ tag }, other)).toEqual([theirs]);
  expect((await shown({ id: first }))[0].tags).toEqual(tags);
  expect((await webhook.events()).find(({ subject }) => subject === first)!.data.tags).toEqual(tags);
  expect(await sourceTo(recipient)).not.toContain('autumn');
});

it('a repeat with other headers or tags is a CONFLICT', async () => {
  const input = {
    to: { address: someone() },
    idempotencyKey: 'headers',
    headers: [{ name: 'X-A', value: '1' }],
    tags: [{ name: 'a', value: '1' }],
  };
  const id = await email.send(input);
  expect(await email.send(input)).toBe(id);
  expect(await email.refused({ ...input, tags: [] })).toMatchObject({ code: 'CONFLICT' });
  expect(await email.refused({ ...input, headers: [{ name: 'X-A', value: '2' }] })).toMatchObject({ code: 'CONFLICT' });
});

it('an erasure removes headers and tags of mails that are retained for others', async () => {
  const [gone, stays] = [someone(), someone()];
  const tags = [{ name: 'person', value: gone }];
  const id = await email.send({
    to: [{ address: gone }, { address: stays }],
    tags,
    headers: [{ name: 'X-Person', value: gone }],
  });
  await email.finished(id);
  const tenantId = await email.server.tenantIdOf(email.api);
  const mails = email.server.app.get(TenantData, { strict: false }).traces.find(({ kind }) => kind === 'mails')!;
  await mails.erase(tenantId, { emailAddress: gone, authorId: null, recipient: null });
  expect(await shown({ id })).toEqual([{ id, tags: [], content: null }]);
  expect(await shown({ tag: tags[0] })).toEqual([]);
});
