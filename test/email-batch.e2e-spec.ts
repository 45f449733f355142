import { Email, FROM, someone } from './support/email.js';

const SEND_MANY = 'mutation($input:SendMessagesInput!){sendMessages(input:$input){id error{code field message}}}';
const TEMPLATE = 'mutation($input:CreateTemplateInput!){createTemplate(input:$input){id}}';

let email: Email;
beforeAll(async () => {
  email = await Email.start();
});
afterAll(() => email.stop());

interface Item {
  id: string | null;
  error: { code: string; field: string | null; message: string } | null;
}

const OWN = { subject: 's', textBody: 't' };
const toSomeone = (input: object = {}) => ({ to: { address: someone() }, ...input });
const many = async (messages: object[], defaults: object | null = OWN, by = email): Promise<Item[]> =>
  (await by.api.ask(SEND_MANY, { input: { defaults, messages } })).sendMessages;
const refusedCall = (messages: object[], defaults: object | null = OWN) =>
  email.api.refusal(SEND_MANY, { input: { defaults, messages } });
const listed = async (by = email): Promise<string[]> => {
  const ids: string[] = [];
  for (let token: string | null | undefined; token !== null;) {
    const page = await by.page(undefined, token, 1_000);
    ids.push(...page.items.map(({ id }: any) => id));
    token = page.nextToken;
  }
  return ids;
};
const mailTo = async (address: string) => (await email.mail.to(address))[0]!.parsed;

describe('sendMessages', () => {
  it('accepts and refuses each message separately, in order, and names the field of each refusal', async () => {
    const another = await email.another();
    const good = [someone(), someone()];
    const items = await many(
      [
        { to: { address: good[0] } },
        { to: { address: 'nobody' } },
        toSomeone({ headers: [{ name: 'Subject', value: 'x' }] }),
        { to: { address: good[1] } },
        toSomeone({ templateName: 'unknown', params: '{}' }),
        toSomeone({ from: { address: 'stranger@elsewhere.example' } }),
        toSomeone({ attachments: [{ name: 'a', fileId: 'unknown' }] }),
      ],
      OWN,
      another,
    );
    expect(items.map(({ error }) => error && [error.code, error.field])).toEqual([
      null,
      ['BAD_USER_INPUT', 'input.messages.1.to.0.address'],
      ['BAD_USER_INPUT', 'input.messages.2.headers.0.name'],
      null,
      ['BAD_USER_INPUT', 'input.defaults.subject'],
      ['FAILED_PRECONDITION', 'input.messages.5.from.address'],
      ['NOT_FOUND', 'input.messages.6.attachments.0.fileId'],
    ]);
    for (const { id, error } of items) {
      expect(id === null).toBe(error !== null);
      if (error) expect(error.message.startsWith(`${error.field}: `)).toBe(true);
    }
    expect((await listed(another)).toSorted()).toEqual([items[0]!.id, items[3]!.id].toSorted());
    for (const address of good) expect(await mailTo(address)).toMatchObject({ subject: 's' });
  });

  it('names the field of an unknown template, in the message or in the defaults', async () => {
    const items = await many([toSomeone({ templateName: 'unknown' }), toSomeone()], { templateName: 'nowhere' });
    const fields = ['input.messages.0.templateName', 'input.defaults.templateName'];
    expect(items.map(({ error }) => error)).toEqual(
      fields.map((field, at) => ({
        code: 'NOT_FOUND',
        field,
        message: `${field}: Template "${['unknown', 'nowhere'][at]}" does not exist`,
      })),
    );
  });

  it('applies the defaults to each message; a field of its own replaces them, null does not', async () => {
    const [plain, own] = [someone(), someone()];
    const defaults = {
      subject: 'shared',
      textBody: 'shared text',
      replyTo: { address: 'reply@example.com' },
      headers: [{ name: 'X-Shared', value: 'yes' }],
      tags: [{ name: 'campaign', value: 'autumn' }],
    };
    const items = await many(
      [
        { to: { address: plain }, subject: null, tags: null },
        { to: { address: own }, subject: 'own', headers: [{ name: 'X-Own', value: 'yes' }] },
      ],
      defaults,
    );
    expect(items.map(({ error }) => error)).toEqual([null, null]);
    const keys = ({ headers }: any) => headers.map(({ key }: any) => key).filter((key: string) => /^x-(shared|own)$/.test(key));
    const [first, second] = [await mailTo(plain), await mailTo(own)];
    expect([first.subject, first.text?.trim(), keys(first)]).toEqual(['shared', 'shared text', ['x-shared']]);
    expect([second.subject, second.text?.trim(), keys(second)]).toEqual(['own', 'shared text', ['x-own']]);
    expect(second.replyTo).toMatchObject([{ address: 'reply@example.com' }]);
    expect(first.from?.address).toBe(FROM);
    const tagged = await email.page({ tag: { name: 'campaign', value: 'autumn' } });
    expect(tagged.items.map(({ id }: any) => id).toSorted()).toEqual(items.map(({ id }) => id).toSorted());
  });

  it('names the defaults where they are wrong, for every message that uses them', async () => {
    const items = await many([toSomeone(), toSomeone({ replyTo: { address: 'right@example.com' } })], {
      ...OWN,
      replyTo: { address: 'wrong' },
    });
    expect(items.map(({ error }) => error?.field)).toEqual(['input.defaults.replyTo.address', undefined]);
  });

  it('renders a template with the params of each message', async () => {
    const renderings = await email.server.api('document-rendering', email.api.key);
    const input = { name: 'invoice', type: 'email', contentType: 'html', subject: 'For {{name}}', body: '<p>{{sum}}</p>' };
    await renderings.ask(TEMPLATE, { input });
    const people = Array.from({ length: 12 }, (_, index) => ({ address: someone(), name: `N${index}`, sum: index }));
    const items = await many(
      [
        ...people.map(({ address, name, sum }) => ({ to: { address }, params: JSON.stringify({ name, sum }) })),
        toSomeone({ params: '{"name":"x"}' }),
        toSomeone({ params: 'no json' }),
      ],
      { templateName: 'invoice', strict: true },
    );
    expect(items.map(({ error }) => error?.field)).toEqual([
      ...people.map(() => undefined),
      'input.messages.12.params',
      'input.messages.13.params',
    ]);
    for (const { address, name, sum } of people) {
      const { subject, html } = await mailTo(address);
      expect([subject, html?.trim()]).toEqual([`For ${name}`, `<p>${sum}</p>`]);
    }
  });

  it('renders each message in the language and time zone of its recipient', async () => {
    const renderings = await email.server.api('document-rendering', email.api.key);
    const body = '{{ sum | currency("EUR") }}, {{ at | date("long") }}';
    const input = { name: 'reminder', type: 'email', contentType: 'plain', subject: 'x', body };
    await renderings.ask(TEMPLATE, { input });
    const [german, english] = [someone(), someone()];
    const params = '{"sum":1234.5,"at":"2026-07-16T22:30:00Z"}';
    const items = await many(
      [
        { to: { address: german }, params, locale: 'de-DE', timeZone: 'Europe/Berlin' },
        { to: { address: english }, params },
        toSomeone({ params, timeZone: 'Mars/Olympus' }),
      ],
      { templateName: 'reminder', locale: 'en-GB' },
    );
    expect(items.map(({ error }) => error?.field)).toEqual([undefined, undefined, 'input.messages.2.timeZone']);
    expect((await mailTo(german)).text?.trim()).toBe('1.234,50\u00a0€, 17. Juli 2026');
    expect((await mailTo(english)).text?.trim()).toBe('€1,234.50, 16 July 2026');
    expect((await many([toSomeone({ locale: 'de' })]))[0]!.error).toMatchObject({ field: 'input.messages.0.locale' });
  });

  it('sends each key once: repeats return the first id, other content is a CONFLICT, a key given twice is sent once', async () => {
    const [first, second] = [toSomeone({ idempotencyKey: 'batch-1' }), toSomeone({ idempotencyKey: 'batch-2' })];
    const before = await many([first, { ...first }, second]);
    expect(before.map(({ error }) => error)).toEqual([null, null, null]);
    expect(before[1]!.id).toBe(before[0]!.id);
    const single = await email.send({ ...OWN, ...first });
    expect(single).toBe(before[0]!.id);
    const count = (await listed()).length;
    const after = await many([first, { ...second, subject: 'other' }, { ...second, idempotencyKey: 'batch-3' }]);
    expect(after[0]).toEqual(before[0]);
    expect(after[1]).toMatchObject({ id: null, error: { code: 'CONFLICT', field: 'input.messages.1.idempotencyKey' } });
    expect(after[2]!.error).toBeNull();
    expect(await listed()).toHaveLength(count + 1);
  });

  it('stores each key once when equal calls run concurrently in different orders', async () => {
    const messages = Array.from({ length: 20 }, (_, index) => toSomeone({ idempotencyKey: `same-time-${index}` }));
    const calls = await Promise.all([many(messages), many(messages.toReversed()), many(messages)]);
    const ids = calls.map((items, call) => (call === 1 ? items.toReversed() : items).map(({ id }) => id));
    expect(new Set(ids[0]).size).toBe(20);
    expect(ids[1]).toEqual(ids[0]);
    expect(ids[2]).toEqual(ids[0]);
  });

  it('attaches files, one file to several messages, and refuses only the message with an invalid file', async () => {
    const fileId = await email.file('the terms', { name: 'terms.txt', contentType: 'text/plain' });
    const strangers = await (await email.another()).file('secret', { name: 'a', contentType: 'text/plain' });
    const addresses = [someone(), someone(), someone()];
    const attached = (id: string) => ({ attachments: [{ name: 'terms.txt', fileId: id }] });
    const items = await many([
      { to: { address: addresses[0] }, ...attached(fileId) },
      toSomeone(attached(strangers)),
      { to: { address: addresses[1] }, ...attached(fileId) },
      { to: { address: addresses[2] } },
    ]);
    expect(items.map(({ error }) => error && [error.code, error.field])).toEqual([
      null,
      ['NOT_FOUND', 'input.messages.1.attachments.0.fileId'],
      null,
      null,
    ]);
    for (const [index, address] of addresses.entries()) {
      const { attachments } = await mailTo(address);
      const texts = attachments.map(({ content }) => Buffer.from(content as ArrayBuffer).toString());
      expect(texts).toEqual(index === 2 ? [] : ['the terms']);
    }
  });

  it('accepts messages up to the daily limit, and refuses the others with the time to retry', async () => {
    const other = await Email.start({ TENANT_MAX_MAILS_PER_DAY: '3' });
    const items = await many(
      [toSomeone(), { to: { address: 'wrong' } }, ...Array.from({ length: 4 }, () => toSomeone())],
      OWN,
      other,
    );
    expect(items.map(({ error }) => error?.code)).toEqual([
      undefined,
      'BAD_USER_INPUT',
      undefined,
      undefined,
      'RATE_LIMITED',
      'RATE_LIMITED',
    ]);
    expect(items[4]!.error!.message).toMatch(/limit of 3 emails per day; retry from \d{4}-/);
    expect(await listed(other)).toHaveLength(3);
    await other.stop();
  });

  it('takes 1 to 100 messages, with a limit on the total length of their bodies', async () => {
    for (const count of [0, 101])
      expect(await refusedCall(Array.from({ length: count }, () => toSomeone()))).toMatchObject({
        code: 'BAD_USER_INPUT',
        field: 'input.messages',
      });
    const other = await email.another();
    const hundred = await many(
      Array.from({ length: 100 }, () => toSomeone()),
      OWN,
      other,
    );
    expect(hundred.filter(({ id }) => id !== null)).toHaveLength(100);
    const large = await many(
      [toSomeone(), toSomeone(), toSomeone()],
      { subject: 's', textBody: 'x'.repeat(5 * 1024 * 1024) },
      other,
    );
    expect(large.map(({ error }) => error && [error.code, error.field])).toEqual([
      null,
      null,
      ['PAYLOAD_TOO_LARGE', 'input.messages.2'],
    ]);
    expect(await listed(other)).toHaveLength(102);
  });
});
