// @nightly postgresql: no SQL of its own
import { readFileSync } from 'node:fs';
import { type Client, createClient, type PlatformError, UnsupportedError } from '../clients/js/dist/index.js';
import { OlderServer } from './support/older-server.js';
import { TestServer } from './support/server.js';

const SERVER_VERSION = (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string })
  .version;

describe('the client and a server that is older', () => {
  let server: TestServer;
  let older: OlderServer;
  let client: Client;
  beforeAll(async () => {
    server = await TestServer.start();
    older = await OlderServer.before(server.address);
    client = createClient({ url: older.url, key: await server.createKey() });
  });
  beforeEach(() => void (older.asked.length = 0));
  afterAll(async () => {
    older.stop();
    await server.stop();
  });

  it('get along: it asks for what the server has, and looks that up once', async () => {
    const file = await client.files.createFile({ input: { name: 'a.txt', author: { id: '1', name: 'Ann' } } });
    expect(file).toMatchObject({ name: 'a.txt', status: 'uploading', author: { id: '1' } });
    expect(file).not.toHaveProperty('expiresAt');
    expect(file.author).not.toHaveProperty('name');
    expect(older.asked).toHaveLength(3);
    const names: (string | null)[] = [];
    for await (const { name } of client.files.allFiles()) names.push(name);
    expect(names).toEqual(['a.txt']);
    expect(older.asked).toHaveLength(4);
  });

  it('leaves out an idempotency key of its own that the server does not take, but none of the caller', async () => {
    const input = { recipients: ['ann'], message: 'hello' };
    older.asked.length = 0;
    expect((await client.push.pushMessage({ input })).results).toHaveLength(1);
    expect(older.asked).toHaveLength(3);
    await client.push.pushMessage({ input });
    expect(older.asked).toHaveLength(4);
    const idempotencyKey = 'a key';
    expect(await refusal(client.push.pushMessage({ input: { ...input, idempotencyKey } }))).toMatchObject({
      field: 'input.idempotencyKey',
    });
  });

  const refusal = (promise: Promise<unknown>) => promise.catch((error: PlatformError) => error);

  it.each<[string, (files: Client['files']) => Promise<unknown>]>([
    ['input.accept of createFile', (files) => files.createFile({ input: { name: 'a.png', accept: ['image/*'] } })],
    ['filter.folder of files', (files) => files.files({ filter: { folder: 'a/' } }, { items: { id: true } })],
    ['limit of files', (files) => files.files({ limit: 3 })],
    ['items.expiresAt of files', (files) => files.files({}, { items: { expiresAt: true, downloadUrl: { expiresIn: 5 } } })],
    ['items.author.name of files', (files) => files.files({}, { items: { author: { name: true } } })],
  ])('does without nothing that the caller asks for: it names %s and the version of the server', async (what, call) => {
    const error = (await refusal(call(client.files))) as UnsupportedError;
    expect(error).toBeInstanceOf(UnsupportedError);
    expect(error).toMatchObject({
      name: 'UnsupportedError',
      code: /^(input|filter)/.test(what) ? 'BAD_USER_INPUT' : 'GRAPHQL_VALIDATION_FAILED',
      field: what.split(' ')[0],
      serverVersion: SERVER_VERSION,
      mayHaveHappened: false,
      message: `The server, version ${SERVER_VERSION}, has no ${what}: update the server, or leave it out`,
    });
  });

  it('names an operation that the server does not have', async () => {
    expect(await refusal(client.files.fileFolders({}))).toMatchObject({
      field: 'fileFolders',
      message: `The server, version ${SERVER_VERSION}, has no fileFolders: update the server`,
    });
  });

  it('leaves other refusals as they are', async () => {
    const wrong = { expiresIn: 'soon' } as unknown as { expiresIn: number };
    expect(await refusal(client.files.createFile({ input: wrong }))).toMatchObject({
      name: 'BadUserInputError',
      code: 'BAD_USER_INPUT',
    });
    expect(await refusal(client.files.deleteFile({ id: 'unknown' }))).toMatchObject({ name: 'NotFoundError' });
  });
});
