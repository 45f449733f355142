import { execFileSync } from 'node:child_process';
import dns from 'node:dns';
import { mkdtempSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { MinioBlobStore } from '../../src/modules/file-management/blob-store/minio-blob-store.js';
import { needing, program, SERVICE } from '../support/needs.js';
import { freePort } from '../support/process.js';
import { freshBucket } from '../support/s3.js';

const SCRIPT = fileURLToPath(new URL('../support/s3-server/s3-server.sh', import.meta.url));
/** The domain of the server, below which each bucket has a name. */
const DOMAIN = 's3.test';

needing(SERVICE.s3, program('swift-object-server')).describe('a store that is addressed by a host name for each bucket', () => {
  const folder = mkdtempSync(join(tmpdir(), 's3-host-'));
  const { lookup } = dns;
  let run: (command: string) => void;
  let settings: ReturnType<typeof freshBucket>;
  beforeAll(async () => {
    const port = await freePort();
    run = (command) => {
      const env = { ...process.env, S3_TEST_PORT: String(port), S3_TEST_DATA: join(folder, 'data') };
      execFileSync(SCRIPT, [command], { env, stdio: 'ignore' });
    };
    run('start');
    const keys = { accessKey: 'test:tester', secretKey: 'testing' };
    settings = { ...freshBucket(`http://${DOMAIN}:${port}`), ...keys, addressing: 'host' };
    // In the place of a DNS server that knows the domain.
    const local = (name: string) => (name.endsWith(DOMAIN) ? '127.0.0.1' : name);
    const ask = lookup as (...all: unknown[]) => void;
    Object.assign(dns, { lookup: (name: string, ...rest: unknown[]) => ask(local(name), ...rest) });
  });
  afterAll(() => {
    dns.lookup = lookup;
    run('stop');
    rmSync(folder, { recursive: true, force: true });
  });

  it('stores, lists, joins and removes blobs, and signs URLs with the bucket as the host name', async () => {
    const store = new MinioBlobStore({ ...settings, publicEndpoint: settings.endpoint });
    await store.prepare();
    await store.put('a/b', Readable.from([Buffer.from('content')]), 7);
    expect(await text(await store.open('a/b'))).toBe('content');
    const uploadId = await store.beginMultipart('joined');
    const etag = await store.putPart('joined', uploadId, { partNumber: 1, sizeBytes: 4 }, Readable.from([Buffer.from('part')]));
    await store.completeMultipart('joined', uploadId, [{ partNumber: 1, etag }]);
    const presentation = { contentType: 'text/plain', cacheControl: 'no-store', disposition: null };
    const url = await store.presignedDownloadUrl('joined', { method: 'GET', expiresInSeconds: 60, ...presentation });
    const { hostname, pathname } = new URL(url!);
    expect([hostname, pathname]).toEqual([`${settings.bucket}.${DOMAIN}`, '/joined']);
    const answer = await new Promise<IncomingMessage>((resolve) => get(url!, resolve));
    expect([answer.statusCode, await text(answer)]).toEqual([200, 'part']);
    await store.remove('a/b');
    const keys = [];
    for await (const { key } of store.list()) keys.push(key);
    expect(keys).toEqual(['joined']);
  });

  it('finds the same blobs by a path', async () => {
    const byPath = new MinioBlobStore({
      ...settings,
      endpoint: settings.endpoint.replace(DOMAIN, '127.0.0.1'),
      addressing: 'path',
    });
    expect(await text(await byPath.open('joined'))).toBe('part');
  });
});
