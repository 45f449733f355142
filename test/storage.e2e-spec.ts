import { execFile } from 'node:child_process';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
// Past the API: runs of the jobs without their pauses, and blobs without rows.
import { BlobStore } from '../src/modules/file-management/blob-store/blob-store.js';
import { FileReconciliationService } from '../src/modules/file-management/expiry/file-reconciliation.service.js';
import { FileExpiry } from '../src/modules/file-management/expiry/file-expiry.job.js';
import type { Api } from './support/api.js';
import { allRowsOf } from './support/behind-the-api.js';
import { TestServer } from './support/server.js';
import { until } from './support/websockets.js';

const KB128 = 131_072;

describe('files in storage', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  beforeEach(async () => {
    api = await server.api('file-management');
  });
  afterAll(() => server.stop());

  const create = async (input: object = {}, size?: number) => {
    const { createFile } = await api.ask(
      'mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl createdAt expiresAt}}',
      { input },
    );
    if (size !== undefined)
      expect((await fetch(createFile.uploadUrl, { method: 'PUT', body: Buffer.alloc(size) })).status).toBe(200);
    return createFile as { id: string; uploadUrl: string; createdAt: string; expiresAt: string };
  };
  const used = async () => Object.values((await api.ask('{storageUsed{fileCount fileSize billableFileSize}}')).storageUsed);
  const ids = async (filter: object) =>
    (await api.ask('query($filter:FilesFilter){files(filter:$filter){items{id}}}', { filter })).files.items.map(
      ({ id }: { id: string }) => id,
    );
  const passed = async (iso: string) => {
    while (Date.now() < Date.parse(iso)) await new Promise((done) => setTimeout(done, 20));
  };
  const expire = () => server.app.get(FileExpiry, { strict: false }).expire();

  it('use the bytes of their content, and are billed at least 128 KB each', async () => {
    expect(await used()).toEqual([0, 0, 0]);
    const empty = await create();
    expect(await used()).toEqual([1, 0, KB128]);
    const small = await create({}, 10_240);
    expect(await used()).toEqual([2, 10_240, 2 * KB128]);
    await create({}, 200_000);
    expect(await used()).toEqual([3, 210_240, 2 * KB128 + 200_000]);
    await fetch(small.uploadUrl, { method: 'PUT', body: Buffer.alloc(300_000) });
    expect(await used()).toEqual([3, 500_000, KB128 + 500_000]);
    await api.ask(`mutation{deleteFile(id:"${small.id}"){id}}`);
    expect(await used()).toEqual([2, 200_000, KB128 + 200_000]);
    await api.ask(`mutation{deleteFile(id:"${empty.id}"){id}}`);
    expect(await used()).toEqual([1, 200_000, 200_000]);
  });

  it('are counted to the byte, however many are written and deleted concurrently', async () => {
    const files = await Promise.all(Array.from({ length: 30 }, (_, i) => create({}, i * 10_000)));
    await Promise.all(files.slice(0, 10).map(({ id }) => api.ask(`mutation{deleteFile(id:"${id}"){id}}`)));
    await Promise.all(files.slice(10, 20).map(({ uploadUrl }) => fetch(uploadUrl, { method: 'PUT', body: Buffer.alloc(5) })));
    const sizes = [...Array.from({ length: 10 }, () => 5), ...Array.from({ length: 10 }, (_, i) => (i + 20) * 10_000)];
    const sum = (list: number[]) => list.reduce((total, size) => total + size, 0);
    expect(await used()).toEqual([20, sum(sizes), sum(sizes.map((size) => Math.max(size, KB128)))]);
  });

  it('lose their content when they expire, and their rows 30 days later', async () => {
    const { id, expiresAt } = await create({ expiresIn: 5 }, 200_000);
    const stays = await create({ expiresIn: 3600 }, 100);
    await passed(expiresAt);
    expect((await api.ask(`{file(ID:"${id}"){status uploadUrl uploaded}}`)).file).toEqual({
      status: 'expired',
      uploadUrl: null,
      uploaded: false,
    });
    await expire();
    expect(await used()).toEqual([2, 100, KB128]);
    expect((await server.blobKeys()).filter((key) => key.includes(id))).toEqual([]);
    expect((await api.ask(`{file(ID:"${id}"){status}}`)).file.status).toBe('expired');
    await allRowsOf('only time lets a file expire', server).file.update({
      where: { id },
      data: { sweepAt: new Date() },
    });
    await expire();
    expect((await api.ask(`{file(ID:"${id}"){status}}`)).file).toBeNull();
    expect(await used()).toEqual([1, 100, KB128]);
    expect((await api.ask(`{file(ID:"${stays.id}"){status}}`)).file.status).toBe('done');
  });

  it('are served until the moment they expire and not after it, by old and new URLs', async () => {
    const { id, expiresAt } = await create({ expiresIn: 2 }, 3);
    const { downloadUrl } = (await api.ask(`{file(ID:"${id}"){downloadUrl}}`)).file;
    const edge = Date.parse(expiresAt);
    const statuses = new Set<number>();
    while (!statuses.has(410)) {
      const askedAt = Date.now();
      const { status } = await fetch(downloadUrl, { method: 'HEAD' });
      if (askedAt >= edge) expect(status).toBe(410);
      if (Date.now() < edge) expect(status).toBe(200);
      statuses.add(status);
    }
    expect([...statuses]).toEqual([200, 410]);
    expect((await api.ask(`{file(ID:"${id}"){status downloadUrl}}`)).file).toEqual({ status: 'expired', downloadUrl: null });
  });

  it('are not reported as lost after an expiry that broke off between content and rows', async () => {
    const { id, expiresAt } = await create({ expiresIn: 5 }, 10);
    await passed(expiresAt);
    const blobKey = (await server.blobKeys()).find((key) => key.includes(id))!;
    await server.app.get(BlobStore, { strict: false }).remove(blobKey);
    const reconciliation = server.app.get(FileReconciliationService, { strict: false });
    expect((await reconciliation.reconcile({ dryRun: true })).lostContents).toEqual([]);
    await expire();
    expect((await api.ask(`{file(ID:"${id}"){status error{code}}}`)).file).toEqual({ status: 'expired', error: null });
  });

  it('are found by status, exact to the moment of expiry', async () => {
    const expiring = await create({ expiresIn: 5 }, 1);
    const done = await create({}, 1);
    const uploading = await create();
    const failed = await create({ checksumSha256: '0'.repeat(64) });
    await fetch(failed.uploadUrl, { method: 'PUT', body: Buffer.from('x') });
    expect(await ids({ status: 'done' })).toEqual(expect.arrayContaining([done.id]));
    expect(await ids({ status: 'uploading' })).toEqual([uploading.id]);
    expect(await ids({ status: 'error' })).toEqual([failed.id]);
    await passed(expiring.expiresAt);
    expect(await ids({ status: 'expired' })).toEqual([expiring.id]);
    expect(await ids({ status: 'done' })).toEqual([done.id]);
    await expire();
    expect(await ids({ status: 'expired' })).toEqual([expiring.id]);
  });

  it('are listed once each by their expiry, in both orders and in pages of any size, marked as expired or not yet', async () => {
    const files: Awaited<ReturnType<typeof create>>[] = [];
    for (let count = 0; count < 6; count++) {
      files.push(await create({ name: `a/${count}`, expiresIn: count % 2 === 0 ? 1 : 4 }));
      await create({ name: 'a/stays' });
    }
    await passed(files[4]!.expiresAt);
    await expire();
    await passed(files[5]!.expiresAt);
    const list = `query($order:FilesOrder,$limit:Int,$token:String,$filter:FilesFilter){
      files(filter:$filter,order:$order,limit:$limit,nextToken:$token){items{id} nextToken}}`;
    const all = async (variables: object): Promise<string[]> => {
      const found: string[] = [];
      for (let token: string | null = null; ;) {
        const { items, nextToken }: any = (await api.ask(list, { ...variables, token })).files;
        found.push(...items.map(({ id }: { id: string }) => id));
        if (nextToken === null) return found;
        token = nextToken;
      }
    };
    const expected = files.map(({ id }) => id);
    for (const filter of [{ status: 'expired' }, { status: 'expired', namePrefix: 'a/' }, { status: 'expired', folder: 'a/' }]) {
      for (const limit of [1, 2, 6, 100]) {
        expect(await all({ filter, limit, order: 'OLDEST' })).toEqual(expected);
        expect(await all({ filter, limit, order: 'NEWEST' })).toEqual(expected.toReversed());
        expect((await all({ filter, limit, order: 'NAME' })).toSorted()).toEqual(expected);
      }
    }
  });

  it('are found by a prefix of their names', async () => {
    const names = ['Ab', 'ab', 'abc', 'a', 'a%', 'a_', 'b', 'é', 'éa', 'z\u{10ffff}x', '日本', null];
    const made = new Map<string | null, string>();
    for (const name of names) made.set(name, (await create({ name })).id);
    const found = async (namePrefix: string) =>
      [...(await ids({ namePrefix }))].reverse().map((id: string) => [...made].find(([, own]) => own === id)![0]);
    expect(await found('ab')).toEqual(['ab', 'abc']);
    expect(await found('a')).toEqual(['ab', 'abc', 'a', 'a%', 'a_']);
    expect(await found('a%')).toEqual(['a%']);
    expect(await found('a_')).toEqual(['a_']);
    expect(await found('A')).toEqual(['Ab']);
    expect(await found('é')).toEqual(['é', 'éa']);
    expect(await found('z\u{10ffff}')).toEqual(['z\u{10ffff}x']);
    expect(await found('日')).toEqual(['日本']);
    expect(await ids({ namePrefix: '' })).toHaveLength(names.length);
  });

  it('are found by the time of their creation, both bounds included', async () => {
    const files = [];
    for (let i = 0; i < 3; i++) {
      files.push(await create());
      await passed(new Date(Date.now() + 3).toISOString());
    }
    const [a, b, c] = files as [(typeof files)[0], (typeof files)[0], (typeof files)[0]];
    expect(await ids({ createdAt: { from: b.createdAt } })).toEqual([c.id, b.id]);
    expect(await ids({ createdAt: { to: b.createdAt } })).toEqual([b.id, a.id]);
    expect(await ids({ createdAt: { from: b.createdAt, to: b.createdAt } })).toEqual([b.id]);
    expect(await ids({ createdAt: { from: '2000-01-01', to: '2000-01-02' } })).toEqual([]);
    expect(await ids({ createdAt: { from: '1960-01-01', to: '9999-12-31' } })).toHaveLength(3);
    const query = 'query($filter:FilesFilter){files(filter:$filter){items{id}}}';
    expect(await api.refusal(query, { filter: { createdAt: { from: c.createdAt, to: a.createdAt } } })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'filter.createdAt',
    });
    expect((await api.send(query, { filter: { createdAt: { from: 'yesterday' } } })).errors?.[0]?.extensions.code).toBe(
      'BAD_USER_INPUT',
    );
  });

  it('are found by their external reference, newest first', async () => {
    const a = await create({ externalReference: 'order-1' });
    const b = await create({ externalReference: 'order-1' }, 1);
    await create({ externalReference: 'order-2' });
    const query =
      'query($r:String!,$f:FilesWithExternalReferenceFilter,$l:Int){filesWithExternalReference(externalReference:$r,filter:$f,limit:$l){id}}';
    const found = async (r: string, f?: object, l?: number) =>
      (await api.ask(query, { r, f, l })).filesWithExternalReference.map(({ id }: { id: string }) => id);
    expect(await found('order-1')).toEqual([b.id, a.id]);
    expect(await found('order-1', { status: 'done' })).toEqual([b.id]);
    expect(await found('order-1', {}, 1)).toEqual([b.id]);
    expect(await found('unknown')).toEqual([]);
    for (const l of [0, 10_001])
      expect(await api.refusal(query, { r: 'order-1', l })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'limit' });
  });

  it('agree with the store again after a crash between the two, and a dry run changes nothing', async () => {
    const kept = await create({}, 10);
    const lost = await create({}, 20);
    const store = server.app.get(BlobStore, { strict: false });
    const tenantId = await server.tenantIdOf(api);
    await store.remove((await server.blobKeys()).find((key) => key.includes(lost.id))!);
    const orphan = `${tenantId}/00/${lost.id}-01a1fc71-ac8b-74ea-88bc-78167c5aaf33`;
    await store.put(orphan, (await import('node:stream')).Readable.from([Buffer.from('x')]), 1);
    const usage = allRowsOf('no API damages a count', server).fileUsage;
    await usage.updateMany({ where: { tenantId }, data: { fileSize: { increment: 7 } } });
    const reconciliation = server.app.get(FileReconciliationService, { strict: false });
    const expected = { orphanedBlobs: [orphan], lostContents: [lost.id], wrongUsage: [tenantId] };
    // S3 servers keep times in seconds, and may round up.
    const look = () => reconciliation.reconcile({ dryRun: true, minAgeSeconds: 0 });
    while ((await look()).orphanedBlobs.length === 0) await new Promise((done) => setTimeout(done, 50));
    expect(await look()).toMatchObject(expected);
    expect(await reconciliation.reconcile({ dryRun: true })).toMatchObject({ orphanedBlobs: [], youngBlobs: [orphan] });
    expect(await reconciliation.reconcile({ dryRun: false, minAgeSeconds: 0 })).toMatchObject(expected);
    const nothing = { orphanedBlobs: [], youngBlobs: [], lostContents: [], wrongUsage: [] };
    expect(await reconciliation.reconcile({ dryRun: false, minAgeSeconds: 0 })).toEqual(nothing);
    expect(await used()).toEqual([2, 10, 2 * KB128]);
    expect((await api.ask(`{file(ID:"${lost.id}"){status uploaded error{code}}}`)).file).toEqual({
      status: 'error',
      uploaded: false,
      error: { code: 'NOT_FOUND' },
    });
    expect((await api.ask(`{file(ID:"${kept.id}"){status}}`)).file.status).toBe('done');
  });
});

describe('files reconcile on the command line', () => {
  it('names the blobs that its age limit skipped, without reporting them as findings', async () => {
    const server = await TestServer.start();
    const young = 'some-tenant/00/01a1fc71-ac8b-74ea-88bc-78167c5aaf33-young';
    await server.app.get(BlobStore, { strict: false }).put(young, Readable.from([Buffer.from('x')]), 1);
    const env = { PATH: process.env.PATH!, ...server.settings };
    const reconcile = (...options: string[]) =>
      promisify(execFile)(process.execPath, ['bin/platform-services.mjs', 'files', 'reconcile', ...options], { env });
    const { stdout, stderr } = await reconcile('--dry-run');
    expect(stdout).toBe(`youngBlobs\t${young}\n`);
    expect(stderr).toBe('1 blobs without a file are younger than 86400 s and were ignored; see --min-age\n');
    // An S3 server dates to the second, and may round up.
    const refusal = await until(() =>
      reconcile('--dry-run', '--min-age', '0').then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    expect(refusal).toMatchObject({ code: 3, stdout: `orphanedBlobs\t${young}\n`, stderr: '' });
    await server.stop();
  });
});

describe('downloads', () => {
  let server: TestServer;
  let url: string;
  let etag: string;
  beforeAll(async () => {
    server = await TestServer.start();
    const api = await server.api('file-management');
    const { id, uploadUrl } = (await api.ask('mutation{createFile(input:{public:true,name:"a.txt"}){id uploadUrl}}')).createFile;
    etag = (await fetch(uploadUrl, { method: 'PUT', body: Buffer.from('0123456789') })).headers.get('etag')!;
    url = `${server.address}/file-management/files/${id}`;
  });
  afterAll(() => server.stop());

  const get = async (headers: Record<string, string>, method = 'GET') => {
    const response = await fetch(url, { headers, method });
    return { status: response.status, body: await response.text(), header: (name: string) => response.headers.get(name) };
  };

  it('return a range, the whole, or 416 for a range that cannot be satisfied', async () => {
    const part = await get({ range: 'bytes=2-4' });
    expect([part.status, part.body, part.header('content-range'), part.header('content-length')]).toEqual([
      206,
      '234',
      'bytes 2-4/10',
      '3',
    ]);
    const whole = await get({ range: 'bytes=0-1,3-4' });
    expect([whole.status, whole.body, whole.header('accept-ranges')]).toEqual([200, '0123456789', 'bytes']);
    const behind = await get({ range: 'bytes=10-' });
    expect([behind.status, behind.header('content-range'), JSON.parse(behind.body).code]).toEqual([
      416,
      'bytes */10',
      'BAD_USER_INPUT',
    ]);
    const changed = await get({ range: 'bytes=2-4', 'if-range': '"other"' });
    expect([changed.status, changed.body]).toEqual([200, '0123456789']);
    expect((await get({ range: 'bytes=2-4', 'if-range': etag })).status).toBe(206);
  });

  it('are not repeated to clients that have them', async () => {
    const unchanged = await get({ 'if-none-match': etag });
    expect([unchanged.status, unchanged.body, unchanged.header('etag'), unchanged.header('cache-control')]).toEqual([
      304,
      '',
      etag,
      'no-cache',
    ]);
    const { header } = await get({});
    expect((await get({ 'if-modified-since': header('last-modified')! })).status).toBe(304);
    expect((await get({ 'if-none-match': '"other"' })).status).toBe(200);
    expect((await get({ 'if-none-match': etag }, 'HEAD')).status).toBe(304);
  });
});
