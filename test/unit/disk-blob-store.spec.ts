import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { BlobStoreUnavailable } from '../../src/modules/file-management/blob-store/blob-store.js';
import { DiskBlobStore } from '../../src/modules/file-management/blob-store/disk-blob-store.js';
import { blobStoreContract } from '../contracts/blob-store.contract.js';
import { TestServer } from '../support/server.js';

const filesIn = (folder: string) =>
  (readdirSync(folder, { recursive: true }) as string[]).filter((path) => statSync(join(folder, path)).isFile());

blobStoreContract('a folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'blobs-'));
  const store = new DiskBlobStore(folder);
  await store.prepare();
  return {
    store,
    count: async () => filesIn(folder).length,
    remove: async () => rmSync(folder, { recursive: true }),
  };
});

describe('a folder of blobs', () => {
  it('loses at a start what a dead process left half-written, and keeps what another is writing now', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'blobs-'));
    await new DiskBlobStore(folder).prepare();
    const [dead, live] = [join(folder, 'arriving', 'dead'), join(folder, 'arriving', 'live')];
    writeFileSync(dead, 'x');
    writeFileSync(live, 'x');
    const anHourAgo = Date.now() / 1000 - 3600;
    utimesSync(dead, anHourAgo, anHourAgo);
    await new DiskBlobStore(folder).prepare();
    expect(readdirSync(join(folder, 'arriving'))).toEqual(['live']);
    rmSync(folder, { recursive: true });
  });
});

/** A real file system that is really full; mounting one needs root. */
const canMount = process.getuid?.() === 0 && process.platform === 'linux';
const onFullDisk = canMount || process.env.REQUIRE_SERVICES === '1' ? describe : describe.skip;

onFullDisk('a disk that is full', () => {
  const folder = mkdtempSync(join(tmpdir(), 'full-disk-'));
  beforeAll(() => execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder]));
  afterAll(() => execFileSync('umount', ['-l', folder]));

  it('is told by the store, which keeps nothing half-written and works again when there is room', async () => {
    const store = new DiskBlobStore(folder);
    await store.prepare();
    const put = (key: string, size: number) => store.put(key, Readable.from([Buffer.alloc(size)]), size);
    await put('a/first', 1_000_000);
    const refusal = await put('a/second', 3_000_000).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(BlobStoreUnavailable);
    expect((refusal as BlobStoreUnavailable).options.full).toBe(true);
    expect(filesIn(folder)).toEqual(['blobs/a/first']);
    await store.remove('a/first');
    await put('a/third', 1_500_000);
    await store.remove('a/third');
  });

  it('gives an upload 503 with a clear message, changes nothing, and the process lives', async () => {
    const server = await TestServer.start({ DATA_DIR: folder, DATABASE_URL: `file:${mkdtempSync(join(tmpdir(), 'db-'))}/x.db` });
    const api = await server.api('file-management');
    const { id, uploadUrl } = (await api.ask('mutation{createFile{id uploadUrl}}')).createFile;
    const response = await fetch(uploadUrl, { method: 'PUT', body: Buffer.alloc(5_000_000) });
    expect([response.status, await response.json()]).toEqual([
      503,
      { code: 'SERVICE_UNAVAILABLE', message: 'The store is full; nothing was changed' },
    ]);
    expect((await api.ask(`{file(ID:"${id}"){status error{code}}}`)).file).toEqual({ status: 'uploading', error: null });
    expect(filesIn(folder).filter((path) => !path.endsWith('.key'))).toEqual([]);
    expect((await fetch(uploadUrl, { method: 'PUT', body: Buffer.from('small') })).status).toBe(200);
    await server.app.close();
  });
});
