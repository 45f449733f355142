// @only postgresql: only a network stops responding
// @nightly: waits until the network has been silent for long
import { Api } from './support/api.js';
import { allRowsOf } from './support/behind-the-api.js';
import { createDatabase, storeSettings, type TestDatabase } from './support/databases.js';
import { CREATE, input } from './support/document-log.js';
import { SEND, someone } from './support/email.js';
import { bytes, each, graphql, operationsOf, outcomes } from './support/operations.js';
import { FaultyProxy } from './support/s3.js';
import { TestServer } from './support/server.js';
import { MailServer } from './support/smtp.js';
import { PUSH, until } from './support/websockets.js';

/** Promised time limits of a refusal, and of the recovery. */
const REFUSED_MS = 12_000;
const BACK_MS = 15_000;

/** A server whose connections to the database pass a proxy that can disturb them. */
async function behindAProxy() {
  const database = await createDatabase('postgresql');
  const url = new URL(database.settings('').DATABASE_URL!);
  const proxy = await FaultyProxy.to(`http://${url.hostname}:${url.port || 5432}`);
  url.host = new URL(proxy.endpoint).host;
  return { database, proxy, server: await TestServer.start({ DATABASE_URL: url.href }) };
}

describe('a database that stops responding', () => {
  let database: TestDatabase;
  let proxy: FaultyProxy;
  let server: TestServer;
  let operations: Awaited<ReturnType<typeof operationsOf>>;
  beforeAll(async () => void ({ database, proxy, server } = await behindAProxy()));
  beforeEach(async () => void (operations = await operationsOf(server)));
  afterEach(async () => {
    proxy.pass();
    await until(async () => (await fetch(`${server.address}/health/ready`)).ok); // also after a test that failed
  });
  afterAll(async () => {
    await server.stop();
    await proxy.close();
    await database.drop();
  });

  const worksAgain = async () => {
    const began = Date.now();
    const { deleteFile: _, ...repeatable } = operations;
    for (const end = began + BACK_MS; ;) {
      const { seen } = await outcomes(repeatable);
      if (Object.values(seen).every((outcome) => outcome === 'ok')) break;
      if (Date.now() > end) expect(seen).toEqual(each(repeatable, 'ok'));
    }
    expect(Date.now() - began).toBeLessThan(BACK_MS);
  };
  const unexpected = () => server.logLines.filter((line) => /internal error|INTERNAL_SERVER_ERROR/.test(line));

  it('is reported in time by every kind of operation and by hundreds concurrently; nobody waits once it is known; everything works soon afterwards', async () => {
    proxy.swallow();
    const first = await outcomes(operations);
    expect(first.seen).toEqual(each(operations, 'SERVICE_UNAVAILABLE'));
    expect(first.tookMs).toBeLessThan(REFUSED_MS);
    const { ready: _, ...rest } = operations;
    const many = await outcomes(rest, 30);
    expect(new Set(many.all)).toEqual(new Set(['SERVICE_UNAVAILABLE']));
    expect(many.tookMs).toBeLessThan(REFUSED_MS);
    const known = await outcomes(operations);
    expect(known.seen).toEqual(each(operations, 'SERVICE_UNAVAILABLE'));
    expect(known.tookMs).toBeLessThan(first.tookMs / 3);
    proxy.pass();
    await worksAgain();
    expect(unexpected()).toEqual([]);
  });

  it('after a commit has stored it once, and a repeat with the same key finds it', async () => {
    const key = await server.createKey();
    const logs = new Api(server.address, 'document-log', key);
    const push = new Api(server.address, 'websockets-manager', key);
    const email = new Api(server.address, 'email', key);
    await logs.ask('{version}');
    const documentIds = Array.from({ length: 8 }, (_, index) => `d${index}`);
    const to = { address: someone() };
    const keyed = {
      createLog: () => graphql(logs, CREATE, { input: input({ documentId: 'keyed', idempotencyKey: 'k' }) }),
      pushMessage: () =>
        graphql(push, PUSH, { input: { recipients: ['bob'], message: 'm', expiresAt: '2099-01-01', idempotencyKey: 'k' } }),
      sendMessage: () => graphql(email, SEND, { input: { to, subject: 's', textBody: 't', idempotencyKey: 'k' } }),
    };
    proxy.fromStore = () => 'swallow';
    const lost = await Promise.all([
      ...documentIds.map((documentId) => graphql(logs, CREATE, { input: input({ documentId }) })),
      ...Object.values(keyed).map((operation) => operation()),
    ]);
    expect(new Set(lost)).toEqual(new Set(['SERVICE_UNAVAILABLE']));
    proxy.pass();
    await worksAgain();
    expect((await outcomes(keyed)).seen).toEqual(each(keyed, 'ok'));
    const { items } = (await logs.ask('{logs{items{documentId}}}')).logs;
    const found = items.map(({ documentId }: any) => documentId);
    expect(new Set(found).size).toBe(found.length);
    expect(found).toContain('keyed');
    expect((await push.ask('{messages(filter:{recipient:"bob"}){items{id}}}')).messages.items).toHaveLength(1);
    expect((await email.ask('{messages{items{id}}}')).messages.items).toHaveLength(1);
    expect(unexpected()).toEqual([]);
  });

  it('within transactions loses their connections only', async () => {
    const push = await server.api('websockets-manager');
    const one = (index: number) =>
      graphql(push, PUSH, {
        input: { recipients: ['ann'], message: 'm', expiresAt: '2099-01-01', idempotencyKey: `k${index}` },
      });
    expect(await one(0)).toBeUndefined();
    proxy.toStore = (data) => (data.includes('INSERT INTO "public"."OperationKey"') ? 'swallow' : 'pass');
    const began = Date.now();
    const lost = await Promise.all(Array.from({ length: 5 }, (_, index) => one(1 + index)));
    expect(new Set(lost)).toEqual(new Set(['SERVICE_UNAVAILABLE']));
    expect(Date.now() - began).toBeLessThan(REFUSED_MS);
    proxy.pass();
    const after = await Promise.all(Array.from({ length: 25 }, (_, index) => one(1 + index)));
    expect(new Set(after)).toEqual(new Set([undefined]));
    await worksAgain();
  });

  it('on one connection delays no later request for the same key', async () => {
    const api = new Api(server.address, 'file-management', await server.createKey());
    let lookUps = 0;
    proxy.toStore = (data) => (data.includes('FROM "ApiKey" WHERE "hash"') && lookUps++ === 0 ? 'swallow' : 'pass');
    let isFirstDone = false;
    const first = graphql(api, '{version}').finally(() => (isFirstDone = true));
    await until(() => lookUps > 0);
    const pause = () => new Promise((resolve) => setTimeout(resolve, 200, 'pending'));
    await until(async () => (await Promise.race([graphql(api, '{version}'), pause()])) === undefined);
    expect(isFirstDone).toBe(false);
    expect(await first).toBe('SERVICE_UNAVAILABLE');
  });

  it('is not confused with a slow statement, which the server alone stops', async () => {
    const database = allRowsOf('no request runs a statement of 20 seconds', server);
    const slow = database.$queryRaw`SELECT pg_sleep(20)`.catch((error: unknown) => error);
    const began = Date.now();
    while (Date.now() - began < 1_000) expect(await operations.file!()).toBeUndefined();
    expect(String(await slow)).toContain('statement timeout');
    expect(Date.now() - began).toBeLessThan(REFUSED_MS);
    await database.$query({ text: '/* long */ SELECT pg_sleep(7)::text', values: [] });
  });
});

describe('a shutdown', () => {
  it('ends in time on a silent database, with and without long statements', async () => {
    const { database, proxy, server } = await behindAProxy();
    expect(await graphql(await server.api('file-management'), '{version}')).toBeUndefined();
    proxy.swallow();
    const long = allRowsOf('no request runs a statement of that length', server).$query({
      text: '/* long */ SELECT 1',
      values: [],
    });
    const lost = expect(long).rejects.toThrow('Connection terminated');
    expect(await server.stop()).toBeLessThan(REFUSED_MS);
    await lost;
    await proxy.close();
    await database.drop();
  });
});

describe('a store that stops responding', () => {
  it('is reported in time by every operation that needs it, even during a transfer; the rest works, and everything soon afterwards', async () => {
    const settings = storeSettings('postgresql');
    const proxy = await FaultyProxy.to(settings.S3_ENDPOINT!);
    const server = await TestServer.start({ ...settings, S3_ENDPOINT: proxy.endpoint });
    const files = await server.api('file-management');
    const create = async () => (await files.ask('mutation{createFile(input:{}){id uploadUrl}}')).createFile;
    const [stored, large, started, other] = [await create(), await create(), await create(), await create()];
    const put = (url: string, length: number) => bytes(url, { method: 'PUT', body: Buffer.alloc(length) });
    expect(await put(stored.uploadUrl, 10)).toBeUndefined();
    expect(await put(large.uploadUrl, 32 * 1024 * 1024)).toBeUndefined();
    const urlOf = async (id: string) => (await files.ask(`{file(ID:"${id}"){downloadUrl}}`)).file.downloadUrl;
    const [url, largeUrl] = [await urlOf(stored.id), await urlOf(large.id)];
    const begin = (id: string) => `mutation{initiateMultipartUpload(input:{fileId:"${id}"}){uploadId}}`;
    const { uploadId } = (await files.ask(begin(started.id))).initiateMultipartUpload;
    const download = await fetch(largeUrl); // its first bytes are here, and the rest waits to be read
    const operations = {
      upload: () => put(other.uploadUrl, 10),
      'large upload': () => put(other.uploadUrl, 4 * 1024 * 1024),
      download: () => bytes(url),
      initiateMultipartUpload: () => graphql(files, begin(large.id)),
      multipartUpload: () => graphql(files, `{multipartUpload(fileId:"${started.id}",uploadId:"${uploadId}"){uploadId}}`),
      abort: () => graphql(files, `mutation{abortMultipartUpload(input:{fileId:"${started.id}",uploadId:"${uploadId}"}){id}}`),
    };
    expect(await graphql(files, begin(stored.id))).toBeUndefined();
    proxy.swallow();
    const [refused, cut, deletion, created] = await Promise.all([
      outcomes(operations),
      download.arrayBuffer().then(
        () => 'whole',
        () => 'cut',
      ),
      outcomes({ deleteFile: () => graphql(files, `mutation{deleteFile(id:"${stored.id}"){id}}`) }),
      graphql(files, 'mutation{createFile(input:{}){id}}'),
    ]);
    expect(refused.seen).toEqual({ ...each(operations, 'SERVICE_UNAVAILABLE'), download: expect.anything() });
    expect([cut, deletion.seen, created]).toEqual(['cut', { deleteFile: 'ok' }, undefined]);
    expect(Math.max(refused.tookMs, deletion.tookMs)).toBeLessThan(REFUSED_MS);
    proxy.pass();
    expect(await put(other.uploadUrl, 10)).toBeUndefined();
    expect(await bytes(largeUrl)).toBeUndefined();
    expect(await operations.abort()).toBeUndefined();
    expect(server.logLines.filter((line) => line.includes('internal error'))).toEqual([]);
    await server.stop();
    await proxy.close();
  });
});

describe('a mail server that stops responding', () => {
  it('delays no later mail for long, and no mail fails', async () => {
    const mail = await MailServer.start();
    const proxy = await FaultyProxy.to(mail.url.replace('smtp', 'http'));
    const server = await TestServer.start({ SMTP_URL: proxy.endpoint.replace('http', 'smtp'), EMAIL_FROM: 'a@sender.example' });
    const api = await server.api('email');
    const send = (address: string) => graphql(api, SEND, { input: { to: { address }, subject: 's', textBody: 't' } });
    const before = someone();
    expect(await send(before)).toBeUndefined();
    await mail.to(before);
    proxy.swallow();
    const swallowed = Array.from({ length: 25 }, someone);
    for (const address of swallowed) expect(await send(address)).toBeUndefined();
    proxy.pass();
    const after = someone();
    const began = Date.now();
    expect(await send(after)).toBeUndefined();
    await mail.to(after);
    expect(Date.now() - began).toBeLessThan(BACK_MS);
    expect((await api.ask('{messages(filter:{status:FAILED}){items{id}}}')).messages.items).toEqual([]);
    await server.stop();
    await proxy.close();
    await mail.stop();
  });
});
