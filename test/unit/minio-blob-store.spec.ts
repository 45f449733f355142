import { createHash, randomBytes } from 'node:crypto';
import { createServer as createHttpServer, type Server } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { BlobStoreUnavailable } from '../../src/modules/file-management/blob-store/blob-store.js';
import { MinioBlobStore } from '../../src/modules/file-management/blob-store/minio-blob-store.js';
import { blobStoreContract } from '../contracts/blob-store.contract.js';
import { describeOnS3, FaultyProxy, freshBucket, TestBucket } from '../support/s3.js';
import { until } from '../support/websockets.js';

const MIB = 1024 * 1024;
const IMPATIENT = { callMs: 400, dataMs: 600, joinMs: 600 };
/** Allows for the time to notice silence, and to clean up after a failed put. */
const BOUND_MS = 4_000;
const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex');

async function unavailable(work: Promise<unknown>): Promise<BlobStoreUnavailable> {
  const startedAt = Date.now();
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(BlobStoreUnavailable);
  expect(Date.now() - startedAt).toBeLessThan(BOUND_MS);
  const { message, stack, options } = error as BlobStoreUnavailable;
  for (const text of [message, stack, String((options.cause as Error | undefined)?.stack)]) expect(text).not.toContain('X-Amz-');
  return error as BlobStoreUnavailable;
}

/** Every call of the port that reaches the store. */
const calls = (store: MinioBlobStore): [string, () => Promise<unknown>][] => [
  ['prepare', () => store.prepare()],
  ['put', () => store.put('a/b', Readable.from([randomBytes(3 * MIB)]), 3 * MIB)],
  ['open', () => store.open('a/b')],
  ['stat', () => store.stat('a/b')],
  ['remove', () => store.remove('a/b')],
  ['check', () => store.check()],
  ['list', () => store.list().next()],
  ['beginMultipart', () => store.beginMultipart('a/b')],
  ['putPart', () => store.putPart('a/b', 'upload', { partNumber: 1, sizeBytes: 1 }, Readable.from([Buffer.from('x')]))],
  ['listParts', () => store.listParts('a/b', 'upload')],
  ['completeMultipart', () => store.completeMultipart('a/b', 'upload', [{ partNumber: 1, etag: md5(Buffer.from('x')) }])],
  ['abortMultipart', () => store.abortMultipart('a/b', 'upload')],
];
const NAMES = calls(undefined as unknown as MinioBlobStore).map(([name]) => name);
const settingsFor = (endpoint: string) => ({ ...freshBucket(endpoint), accessKey: 'key', secretKey: 'secret-key' });

describe('a store that cannot be reached', () => {
  const call = (name: string) => new Map(calls(new MinioBlobStore(settingsFor('http://127.0.0.1:1'), IMPATIENT))).get(name)!;

  it.each(NAMES)('is reported as unavailable by %s', async (name) => {
    const { message } = await unavailable(call(name)());
    expect(message).toContain('ECONNREFUSED');
  });
});

describe('a store that accepts connections and stays silent', () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
  let store: MinioBlobStore;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    store = new MinioBlobStore(settingsFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), IMPATIENT);
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it.each(NAMES)('is reported as unavailable by %s, in bounded time', async (name) => {
    await unavailable(new Map(calls(store)).get(name)!());
  });

  it('is not blamed for slow content', async () => {
    const content = new Readable({ read: () => undefined });
    const put = store.put('a/slow', content, 1_000_000);
    let settled = false;
    put.catch(() => (settled = true));
    for (const startedAt = Date.now(); Date.now() - startedAt < 2 * IMPATIENT.dataMs;) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(settled).toBe(false);
    }
    content.destroy(new Error('the sender went away'));
    await expect(put).rejects.toThrow('the sender went away');
  });
});

describe('a store that refuses', () => {
  let answer = { status: 503, body: '' };
  let server: Server;
  let store: MinioBlobStore;
  beforeAll(async () => {
    server = createHttpServer((request, response) => {
      request.resume().on('end', () => response.writeHead(answer.status).end(request.method === 'HEAD' ? '' : answer.body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    store = new MinioBlobStore(settingsFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), IMPATIENT);
  });
  afterAll(() => server.close());
  const xml = (code: string) => `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>x</Message></Error>`;

  it.each(NAMES)('because it is busy is reported as unavailable by %s, and nothing is printed', async (name) => {
    const warnings = jestSpy();
    answer = { status: 503, body: xml('SlowDown') };
    const { options } = await unavailable(new Map(calls(store)).get(name)!());
    expect(options.full).toBeUndefined();
    expect(warnings()).toEqual([]);
  });

  it.each(['put', 'putPart', 'beginMultipart'])('because it is full is reported as full by %s', async (name) => {
    answer = { status: 507, body: xml('XMinioStorageFull') };
    const { options } = await unavailable(new Map(calls(store)).get(name)!());
    expect(options.full).toBe(true);
  });

  it.each(NAMES)('our key is reported as unavailable by %s', async (name) => {
    answer = { status: 403, body: xml('InvalidAccessKeyId') };
    await unavailable(new Map(calls(store)).get(name)!());
  });

  it.each(NAMES)('with a response that is not S3 is reported as unavailable by %s', async (name) => {
    answer = { status: 500, body: '<html>oops' };
    await unavailable(new Map(calls(store)).get(name)!());
  });
});

describe('a list that is longer than one answer', () => {
  let second: 'whole' | 'cut' | 'hanging' = 'whole';
  const server = createHttpServer((request, response) => {
    const token = new URL(request.url!, 'http://store').searchParams.get('continuation-token');
    const blob = (key: string) => `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>`;
    const page = (content: string) => `<?xml version="1.0"?><ListBucketResult>${content}</ListBucketResult>`;
    if (!token) {
      return response.end(
        page(`<IsTruncated>true</IsTruncated><NextContinuationToken>2/+=</NextContinuationToken>${blob('a/1')}`),
      );
    }
    expect(token).toBe('2/+=');
    if (second === 'whole') return response.end(page(`<IsTruncated>false</IsTruncated>${blob('a/2')}`));
    response.writeHead(200, { 'content-length': 1_000 }).write('<?xml');
    if (second === 'cut') setImmediate(() => response.destroy());
  });
  let store: MinioBlobStore;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    store = new MinioBlobStore(settingsFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), IMPATIENT);
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const listed = async () => {
    const keys: string[] = [];
    for await (const { key } of store.list()) keys.push(key);
    return keys;
  };

  it('is read to its end', async () => {
    second = 'whole';
    expect(await listed()).toEqual(['a/1', 'a/2']);
  });

  it.each(['cut', 'hanging'] as const)(
    'fails when a later response is %s: missing blobs are not mistaken for removed ones',
    async (how) => {
      second = how;
      await unavailable(listed());
    },
  );
});

/** Collects everything printed from now on. */
function jestSpy(): () => unknown[][] {
  const printed: unknown[][] = [];
  const real = console.warn;
  console.warn = (...args: unknown[]) => printed.push(args);
  return () => {
    console.warn = real;
    return printed;
  };
}

describeOnS3('on an S3 server', () => {
  blobStoreContract('an S3 server', async () => {
    const settings = freshBucket();
    const store = new MinioBlobStore(settings);
    await store.prepare();
    const bucket = new TestBucket(settings);
    return { store, count: () => bucket.count(), remove: () => bucket.remove() };
  });

  it('creates its bucket once, however many nodes start together', async () => {
    const settings = freshBucket();
    const store = new MinioBlobStore(settings);
    await expect(store.check()).rejects.toThrow(`Bucket ${settings.bucket} does not exist`);
    await Promise.all([store.prepare(), new MinioBlobStore(settings).prepare(), new MinioBlobStore(settings).prepare()]);
    await store.prepare();
    await store.check();
    await new TestBucket(settings).remove();
  });

  describe('a store that clients can reach', () => {
    const settings = freshBucket();
    const store = new MinioBlobStore({ ...settings, publicEndpoint: settings.endpoint });
    const content = Buffer.from('content');
    const presentation = {
      method: 'GET',
      expiresInSeconds: 60,
      contentType: 'text/plain; charset=utf-8',
      cacheControl: 'private, no-store',
      disposition: `attachment; filename="a b.txt"; filename*=UTF-8''%C3%BC.txt`,
    } as const;
    beforeAll(async () => {
      await store.prepare();
      await store.put('a/b', Readable.from([content]), content.length);
    });
    afterAll(() => new TestBucket(settings).remove());

    it('is read there for the requested time, with the signed headers', async () => {
      const url = (await store.presignedDownloadUrl('a/b', presentation))!;
      expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe('60');
      const response = await fetch(url);
      expect(await response.text()).toBe('content');
      expect(response.headers.get('content-type')).toBe(presentation.contentType);
      expect(response.headers.get('cache-control')).toBe(presentation.cacheControl);
      expect(response.headers.get('content-disposition')).toBe(presentation.disposition);
      const range = await fetch(url, { headers: { range: 'bytes=1-3' } });
      expect([range.status, await range.text()]).toEqual([206, 'ont']);
    });

    it('answers HEAD where HEAD was signed, and allows no other method', async () => {
      const url = (await store.presignedDownloadUrl('a/b', { ...presentation, method: 'HEAD', disposition: null }))!;
      const response = await fetch(url, { method: 'HEAD' });
      expect([response.status, response.headers.get('content-length')]).toEqual([200, '7']);
      expect(response.headers.has('content-disposition')).toBe(false);
      expect((await fetch(url, { method: 'PUT', body: 'x' })).status).toBe(403);
    });

    it('refuses a changed URL', async () => {
      const url = (await store.presignedDownloadUrl('a/b', presentation))!;
      for (const changed of [
        url.replace('text%2Fplain', 'text%2Fhtml'),
        url.replace('/a/b?', '/a/c?'),
        url.replace('X-Amz-Expires=60', 'X-Amz-Expires=6000'),
        url.replace('response-content-disposition', 'response-content-encoding'),
      ]) {
        expect(changed).not.toBe(url);
        expect((await fetch(changed)).status).toBe(403);
      }
    });

    it('never signs for longer than requested: a lifetime of 0 is not the longest', async () => {
      const url = (await store.presignedDownloadUrl('a/b', { ...presentation, expiresInSeconds: 0 }))!;
      expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe('1');
    });

    it('accepts parts there, which complete like those that passed through this service', async () => {
      const uploadId = await store.beginMultipart('a/parts');
      const bytes = randomBytes(5 * MIB);
      const response = await fetch((await store.presignedPartUrl('a/parts', uploadId, 1, 60))!, { method: 'PUT', body: bytes });
      expect([response.status, response.headers.get('etag')]).toEqual([200, `"${md5(bytes)}"`]);
      await store.putPart('a/parts', uploadId, { partNumber: 2, sizeBytes: content.length }, Readable.from([content]));
      await store.completeMultipart('a/parts', uploadId, await store.listParts('a/parts', uploadId));
      expect((await buffer(await store.open('a/parts'))).equals(Buffer.concat([bytes, content]))).toBe(true);
    });

    it('signs for the public URL, without calling it', async () => {
      const elsewhere = new MinioBlobStore({ ...settings, publicEndpoint: 'https://files.example.com' });
      expect(await elsewhere.presignedDownloadUrl('a/b', presentation)).toMatch(
        /^https:\/\/files\.example\.com\/test-\w+\/a\/b\?/,
      );
      expect(await elsewhere.presignedPartUrl('a/b', 'x', 1, 60)).toMatch(/^https:\/\/files\.example\.com\/test-\w+\/a\/b\?/);
    });

    it('has no URL for clients when none is set', async () => {
      const hidden = new MinioBlobStore(settings);
      expect(await hidden.presignedDownloadUrl('a/b', presentation)).toBeUndefined();
      expect(await hidden.presignedPartUrl('a/b', 'x', 1, 60)).toBeUndefined();
    });
  });

  describe('a store over a disturbed connection', () => {
    const settings = freshBucket();
    const bytes = randomBytes(8 * MIB);
    let proxy: FaultyProxy;
    let store: MinioBlobStore;
    const put = (key: string) =>
      store.put(key, Readable.from([bytes.subarray(0, 4 * MIB), bytes.subarray(4 * MIB)]), bytes.length);
    const read = async (key: string) => buffer(await store.open(key));
    beforeAll(async () => {
      proxy = await FaultyProxy.to(settings.endpoint);
      store = new MinioBlobStore({ ...settings, endpoint: proxy.endpoint }, IMPATIENT);
      await store.prepare();
      await put('a/there');
    });
    /** After every disturbance the store works again, and only the named blobs are left of failed calls. */
    const recovers = async (...left: string[]) => {
      proxy.toStore = proxy.fromStore = () => 'pass';
      await store.check();
      const keys: string[] = [];
      for await (const { key } of store.list()) keys.push(key);
      expect(keys.sort()).toEqual(['a/there', ...left].sort());
      await put('a/again');
      expect((await read('a/again')).equals(bytes)).toBe(true);
      await store.remove('a/again');
    };
    afterAll(async () => {
      await proxy.close();
      await new TestBucket(settings).remove();
    });
    /** Applies a verdict after this many bytes. */
    const after = (limit: number, verdict: 'cut' | 'swallow') => {
      let passed = 0;
      return (piece: Buffer) => ((passed += piece.length) > limit ? verdict : 'pass');
    };

    it.each(['cut', 'swallow'] as const)('reports an upload that is %s midway, and stores nothing of it', async (verdict) => {
      proxy.toStore = after(2 * MIB, verdict);
      await unavailable(put('a/broken'));
      await recovers();
    });

    it.each(['cut', 'swallow'] as const)('reports a download that is %s midway', async (verdict) => {
      proxy.fromStore = after(2 * MIB, verdict);
      await unavailable(read('a/there'));
      await recovers();
    });

    it('stores nothing of an upload whose response is lost', async () => {
      proxy.fromStore = (piece) => (String(piece.subarray(0, 300)).includes('200 OK') && !lost ? ((lost = true), 'cut') : 'pass');
      let lost = false;
      await unavailable(put('a/unanswered'));
      expect(lost).toBe(true);
      await recovers();
    });

    it('reports a part that is cut midway, and accepts it again', async () => {
      const uploadId = await store.beginMultipart('a/parts');
      const part = { partNumber: 1, sizeBytes: bytes.length };
      proxy.toStore = after(2 * MIB, 'cut');
      await unavailable(store.putPart('a/parts', uploadId, part, Readable.from([bytes])));
      await recovers();
      expect(await store.listParts('a/parts', uploadId)).toEqual([]);
      expect(await store.putPart('a/parts', uploadId, part, Readable.from([bytes]))).toBe(md5(bytes));
      await store.abortMultipart('a/parts', uploadId);
    });

    it.each(['cut', 'swallow'] as const)(
      'shows by stat the result of a completion whose response was lost: %s',
      async (verdict) => {
        const key = `a/completed-${verdict}`;
        const uploadId = await store.beginMultipart(key);
        const etag = await store.putPart(key, uploadId, { partNumber: 1, sizeBytes: 7 }, Readable.from([Buffer.from('content')]));
        let asked = false;
        proxy.toStore = (piece) => {
          asked ||= String(piece.subarray(0, 5)) === 'POST ';
          return 'pass';
        };
        proxy.fromStore = () => (asked ? verdict : 'pass');
        await unavailable(store.completeMultipart(key, uploadId, [{ partNumber: 1, etag }]));
        proxy.toStore = proxy.fromStore = () => 'pass';
        // The store may still be at work on it.
        expect((await until(() => store.stat(key))).sizeBytes).toBe(7);
        await store.remove(key);
        await recovers();
      },
    );

    it('works again when the store is back', async () => {
      await proxy.close();
      await unavailable(put('a/down'));
      await unavailable(store.check());
      await proxy.open();
      await recovers();
    });

    it('does not mistake a slow reader for a silent store', async () => {
      const silenceMs = 3_000; // more than a busy machine takes to begin an answer
      const patient = new MinioBlobStore({ ...settings, endpoint: proxy.endpoint }, { ...IMPATIENT, dataMs: silenceMs });
      const content = await patient.open('a/there');
      const received: Buffer[] = [];
      for await (const piece of content) {
        received.push(piece as Buffer);
        if (received.length === 2) await new Promise((resolve) => setTimeout(resolve, 2 * silenceMs));
      }
      expect(Buffer.concat(received).equals(bytes)).toBe(true);
    });

    it('lets a reader stop midway', async () => {
      for (let n = 0; n < 5; n++) (await store.open('a/there')).once('data', () => undefined).destroy();
      await recovers();
    });
  });
});
