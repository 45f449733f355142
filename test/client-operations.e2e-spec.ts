// @nightly postgresql: no SQL of its own
import {
  BadUserInputError,
  type Client,
  ConflictError,
  ConnectionError,
  createClient,
  ForbiddenError,
  FailedPreconditionError,
  NotFoundError,
  PlatformError,
  RateLimitedError,
  TimedOutError,
  UnauthenticatedError,
} from '../clients/js/dist/index.js';
import { ClientAndServer, cutOnce } from './support/client.js';
import { Email } from './support/email.js';
import { inSeconds, until } from './support/websockets.js';

const inHours = (hours: number): Date => new Date(Date.now() + hours * 3_600_000);
const failure = (promise: Promise<unknown>): Promise<PlatformError> =>
  promise.then(
    () => Promise.reject(new Error('it succeeded')),
    (error: PlatformError) => error,
  );

describe('the JavaScript client', () => {
  let both: ClientAndServer;
  let client: Client;
  beforeAll(async () => {
    both = await ClientAndServer.start();
    ({ client } = both);
  });
  afterEach(() => both.proxy.pass());
  afterAll(() => both.stop());

  it('calls all five services, and returns the selection, or all fields without arguments', async () => {
    const { id, uploadUrl } = await client.files.createFile(
      { input: { name: 'a.txt' } },
      { id: true, uploadUrl: { expiresIn: 60 } },
    );
    expect(uploadUrl).toMatch(/^http/);
    const file = await client.files.file({ ID: id }, { name: true, author: { name: true } });
    expect(file).toEqual({ name: 'a.txt', author: null });
    // @ts-expect-error was not selected
    expect(file?.comment).toBeUndefined();
    const whole = await client.files.file({ ID: id });
    expect(whole).toMatchObject({ id, name: 'a.txt', status: 'uploading', attributes: [] });
    expect(whole).not.toHaveProperty('uploadUrl');
    expect(await client.files.file({ ID: '01900000-0000-7000-8000-000000000000' })).toBeNull();

    await client.rendering.createTemplate({
      input: { name: 'hello', type: 'document', contentType: 'plain', body: 'Hello {{ name }}' },
    });
    const rendered = await client.rendering.render(
      { input: { templateName: 'hello', params: '{"name":"Ann"}' } },
      { body: true },
    );
    expect(rendered).toEqual({ body: 'Hello Ann' });

    const { connectionUri } = await client.push.registerRecipient({ input: { recipient: 'ann' } });
    expect(connectionUri).toMatch(/^ws/);
    const { itemId } = await client.log.createLog({
      input: {
        documentId: '1',
        documentType: 'order',
        dateTime: '2026-01-01',
        attribute: { name: { en: 'Total', de: 'Summe' } },
      },
    });
    const { items } = await client.log.logs({ filter: { id: itemId } });
    expect(items).toEqual([
      expect.objectContaining({ id: itemId, attribute: { id: null, name: { en: 'Total', de: 'Summe' } }, edits: [] }),
    ]);
    expect(await client.email.emailIdentities()).toEqual([]);
    expect(await client.email.version()).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('rejects at compile time what a schema does not have', async () => {
    // @ts-expect-error no such field
    expect(await failure(client.files.files({}, { items: { nme: true } }))).toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED' });
    // @ts-expect-error no such input
    expect(await failure(client.files.createFile({ input: { nme: 'a' } }))).toMatchObject({ code: 'BAD_USER_INPUT' });
    // @ts-expect-error no such argument
    await expect(client.files.file({ id: 'a' })).rejects.toThrow('file takes no id; it takes ID');
  });

  it('accepts one element for a list, objects for JSON, times as Date, and bytes for base64', async () => {
    const now = new Date();
    const attributes = { name: 'kind', value: 'invoice' };
    const { id } = await client.files.createFile({ input: { name: 'one.txt', attributes } });
    expect(await client.files.file({ ID: id }, { attributes: { name: true, value: true } })).toEqual({
      attributes: [attributes],
    });
    const body = 'Hello {{ user.name }}';
    const sampleParams = { user: { name: 'Bob' } };
    await client.rendering.createTemplate({
      input: { name: 'objects', type: 'document', contentType: 'plain', body, sampleParams },
    });
    const params = { user: { name: 'Ann' } };
    const rendered = await client.rendering.render({ input: { templateName: 'objects', params } }, { body: true });
    expect(rendered).toEqual({ body: 'Hello Ann' });
    const message = [{ paid: true }, 1];
    const { item } = await client.push.pushMessage({ input: { recipients: 'eve', message, expiresAt: inHours(1) } });
    expect(JSON.parse(item!.message!)).toEqual(message);
    await client.log.createLog({
      input: { documentId: 'one', documentType: 'order', dateTime: now, attribute: { id: 'total' } },
    });
    const dateTime = { from: new Date(+now - 1), to: new Date(+now + 1) };
    const { items } = await client.log.logs({ filter: { documentId: 'one', dateTime } }, { items: { dateTime: true } });
    expect(items).toEqual([{ dateTime: now.toISOString() }]);
  });

  it('sends the content of an inline attachment, and the params of a template', async () => {
    const email = await Email.start();
    const { email: mails, rendering } = createClient({ url: email.server.address, key: await email.server.createKey() });
    const template = { name: 'paid', type: 'email', contentType: 'plain', subject: 'Paid', body: 'Dear {{ name }}' } as const;
    await rendering.createTemplate({ input: template });
    const inlineAttachments = { name: 'a.bin', contentType: 'application/x-any', content: Buffer.from([0, 255, 17]) };
    const to = { address: 'ann@example.com' };
    const input = { to, templateName: 'paid', params: { name: 'Ann' }, sendAt: inHours(1), inlineAttachments };
    const sent = await mails.sendMessages({ input: { messages: input } });
    expect(sent).toMatchObject([{ error: null }]);
    const { items } = await mails.messages({}, { items: { content: { attachments: { name: true, size: true }, text: true } } });
    expect(items).toEqual([{ content: { attachments: [{ name: 'a.bin', size: 3 }], text: 'Dear Ann' } }]);
    await email.stop();
  });

  it('sends documents typed by a code generator', async () => {
    const typed = { toString: () => '{ version }' } as {
      toString(): string;
      __apiType?: (variables: object) => { version: string };
    };
    const { version } = await client.request('email', typed);
    expect(version).toBe(await client.email.version());
  });

  it('throws an error class per code, with field and request id', async () => {
    const wrong = await failure(client.files.createFile({ input: { name: 'a', expiresIn: 0 } }));
    expect(wrong).toBeInstanceOf(BadUserInputError);
    expect(wrong).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.expiresIn', status: 200, requestId: expect.any(String) });
    expect(wrong.mayHaveHappened).toBe(false);
    expect(await failure(client.files.deleteFile({ id: '01900000-0000-7000-8000-000000000000' }))).toBeInstanceOf(NotFoundError);
    const input = { name: 'twice', type: 'document', contentType: 'plain', body: '' } as const;
    await client.rendering.createTemplate({ input });
    expect(await failure(client.rendering.createTemplate({ input }))).toBeInstanceOf(ConflictError);
    const mail = { from: { address: 'shop@example.com' }, to: [{ address: 'ann@example.com' }], subject: 's', textBody: 't' };
    expect(await failure(client.email.sendMessage({ input: mail }))).toBeInstanceOf(FailedPreconditionError);
    const url = both.proxy.endpoint;
    expect(await failure(createClient({ url, key: 'wrong' }).files.version())).toBeInstanceOf(UnauthenticatedError);
    for (const unset of [
      { url, key: undefined },
      { url: undefined, key: 'k' },
    ]) {
      expect(() => createClient(unset as never)).toThrow(/^(key|url) is not set/);
    }
    const reader = createClient({ url, key: await both.server.createKey('email-api:query:*') });
    expect(await failure(reader.admin.tenants())).toBeInstanceOf(ForbiddenError);
    expect(await failure(reader.files.version())).toBeInstanceOf(ForbiddenError);
  });

  it('iterates over all pages, each item once', async () => {
    const names = Array.from({ length: 7 }, (_, index) => `page-${index}`);
    for (const name of names) await client.files.createFile({ input: { name } }, { id: true });
    const seen: (string | null)[] = [];
    for await (const { name } of client.files.allFiles({ limit: 3, filter: { namePrefix: 'page-' } }, { name: true }))
      seen.push(name);
    expect(seen.sort()).toEqual(names);
    const [first] = [await client.rendering.allTemplates().next()];
    expect(first!.value).toMatchObject({ name: expect.any(String), body: expect.any(String) });
  });

  it('repeats a query whose connection was cut, and a mutation with a generated key, which happens once', async () => {
    const cuts = cutOnce(both.proxy, /HTTP\/1\.1 200/);
    expect(await client.email.version()).toMatch(/^\d/);
    expect(cuts()).toBe(1);
    const again = cutOnce(both.proxy, /HTTP\/1\.1 200/);
    const input = { recipients: ['bob'], message: 'once', expiresAt: inSeconds(600) };
    const { item } = await client.push.pushMessage({ input });
    expect(again()).toBe(1);
    const { items } = await client.push.messages({ filter: { recipient: 'bob' } });
    expect(items.map(({ id }) => id)).toEqual([item!.id]);
  });

  it('does not repeat a mutation that may have happened', async () => {
    const cuts = cutOnce(both.proxy, /HTTP\/1\.1 200/);
    const error = await failure(client.files.createFile({ input: { name: 'perhaps' } }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.mayHaveHappened).toBe(true);
    expect(cuts()).toBe(1);
    const { items } = await client.files.files({ filter: { namePrefix: 'perhaps' } });
    expect(items).toHaveLength(1);
  });

  it('repeats any operation that was not accepted until the server is back', async () => {
    await both.proxy.close();
    const impatient = createClient({ url: both.proxy.endpoint, key: both.key, retries: 0 });
    await until(async () => !(await failure(impatient.files.version())).mayHaveHappened); // no connection is kept any more
    const creating = client.files.createFile({ input: { name: 'patient' } }, { name: true });
    await failure(impatient.files.version());
    await both.proxy.open();
    expect(await creating).toEqual({ name: 'patient' });
  });

  it('ends in time when the server is silent, and at once when its caller aborts', async () => {
    both.proxy.swallow();
    const hasty = createClient({ url: both.proxy.endpoint, key: both.key, retries: 0, timeoutMs: 300 });
    expect(await failure(hasty.files.version())).toBeInstanceOf(TimedOutError);
    const abort = new AbortController();
    const asking = client.files.version({}, undefined, { signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(asking).rejects.toThrow('enough');
  });
});

it('the JavaScript client waits as long as a rate limit tells it to, within its bounds', async () => {
  const both = await ClientAndServer.start({ RATE_LIMIT_PER_MINUTE: '3' });
  const quick = createClient({ url: both.proxy.endpoint, key: both.key, retries: 0 });
  for (let left = 3; left > 0; left--) await quick.files.version();
  const error = await failure(quick.files.createFile({ input: { name: 'a' } }));
  expect(error).toBeInstanceOf(RateLimitedError);
  expect(error).toMatchObject({ status: 429, mayHaveHappened: false });
  expect(error.retryAfterMs).toBeGreaterThan(0);
  await both.stop();
});

it('the JavaScript client sends its key in the header only: never in URLs, errors or to redirect targets', async () => {
  const both = await ClientAndServer.start();
  const seen: string[] = [];
  both.proxy.toStore = (bytes) => (seen.push(bytes.toString('latin1')), 'pass');
  await both.client.files.version();
  const [head] = seen.join('').split('\r\n\r\n');
  expect(head!.split('\r\n').filter((line) => line.includes(both.key))).toEqual([`x-api-key: ${both.key}`]);
  both.proxy.fromStore = () => 'cut';
  const error = await failure(createClient({ url: both.proxy.endpoint, key: both.key, retries: 0 }).files.version());
  expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain(both.key);
  await both.stop();
});
