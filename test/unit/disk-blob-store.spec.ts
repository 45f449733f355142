import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs, { mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  type BlobStore,
  BlobStoreUnavailable,
  PartMismatch,
  UploadMissing,
} from '../../src/modules/file-management/blob-store/blob-store.js';
import { DiskBlobStore } from '../../src/modules/file-management/blob-store/disk-blob-store.js';
import { blobStoreContract } from '../contracts/blob-store.contract.js';
import { dataFolder } from '../support/folders.js';
import { TestServer } from '../support/server.js';
import { describeOnSmallDisk, SmallDisk } from '../support/small-disk.js';

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
  it('removes half-written files of a dead process at start, and leaves those that another is writing', async () => {
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

it('a folder of blobs contains no file of an upload that breaks off while the disk still opens it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'blobs-'));
  const store = new DiskBlobStore(folder);
  await store.prepare();
  const { open } = fs;
  const content = new Readable({ read: () => undefined });
  const opened = new Promise<void>((done) => {
    const late = (path: string, flags: string, mode: number, opening: (...answer: unknown[]) => void) => {
      Object.assign(fs, { open });
      content.destroy(new Error('the sender went away'));
      setTimeout(() => open(path, flags, mode, (...answer) => (opening(...answer), done())), 100);
    };
    Object.assign(fs, { open: late });
  });
  await expect(store.put('a/file', content, 1)).rejects.toThrow('the sender went away');
  await opened;
  expect(filesIn(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});

/** Completes an upload in a process of its own, which is killed before its nth change on the disk. */
function completeAndDie(given: { folder: string; step: number; key: string; uploadId: string; named: unknown[] }) {
  const adapter = new URL('../../dist/modules/file-management/blob-store/disk-blob-store.js', import.meta.url).href;
  const script = `
    import files from 'node:fs/promises';
    import { syncBuiltinESMExports } from 'node:module';
    const { folder, step, key, uploadId, named } = ${JSON.stringify(given)};
    let steps = 0;
    for (const name of ['rename', 'rm', 'utimes', 'mkdir', 'open']) {
      const real = files[name];
      files[name] = (...args) => (++steps === step ? process.kill(process.pid, 'SIGKILL') : real(...args));
    }
    syncBuiltinESMExports();
    const { DiskBlobStore } = await import(${JSON.stringify(adapter)});
    await new DiskBlobStore(folder).completeMultipart(key, uploadId, named);`;
  const { status, signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  if (status !== 0 && signal === null) throw new Error(stderr);
  return signal;
}

describe('an upload in parts to a folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'blobs-'));
  const parts = join(folder, 'parts');
  const content = () => Readable.from([Buffer.from('content')]);
  const part = { partNumber: 1, sizeBytes: 7 };
  let store: DiskBlobStore;
  beforeAll(async () => {
    store = new DiskBlobStore(folder);
    await store.prepare();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** An upload left by a completion that claimed it at that time and died. */
  const claimed = async (key: string, at: number) => {
    const uploadId = await store.beginMultipart(key);
    const etag = await store.putPart(key, uploadId, part, content());
    renameSync(join(parts, uploadId), join(parts, `${uploadId}.${at}.${randomUUID()}`));
    return { uploadId, named: [{ partNumber: 1, etag }] };
  };

  it('belongs to the running completion: nobody else can send, complete or abort it', async () => {
    const { uploadId, named } = await claimed('a/busy', Date.now());
    await expect(store.putPart('a/busy', uploadId, part, content())).rejects.toBeInstanceOf(UploadMissing);
    await expect(store.completeMultipart('a/busy', uploadId, named)).rejects.toBeInstanceOf(UploadMissing);
    await store.abortMultipart('a/busy', uploadId);
    expect(readdirSync(parts)).toHaveLength(1);
  });

  it('is gone once it is completed', async () => {
    const uploadId = await store.beginMultipart('a/closed');
    const etag = await store.putPart('a/closed', uploadId, part, content());
    await store.completeMultipart('a/closed', uploadId, [{ partNumber: 1, etag }]);
    await expect(store.putPart('a/closed', uploadId, part, content())).rejects.toBeInstanceOf(UploadMissing);
    await expect(store.listParts('a/closed', uploadId)).rejects.toBeInstanceOf(UploadMissing);
  });

  it('can be completed after the next start, after a process died in a completion', async () => {
    const { uploadId, named } = await claimed('a/restarted', Date.now());
    await new DiskBlobStore(folder).prepare();
    await store.completeMultipart('a/restarted', uploadId, named);
    expect(String(await buffer(await store.open('a/restarted')))).toBe('content');
  });

  it('stays with the running completion when the reconciliation prepares the store again', async () => {
    const { uploadId } = await claimed('a/under-way', Date.now());
    await store.prepare();
    expect(readdirSync(parts).filter((name) => name.startsWith(uploadId))).toEqual([expect.stringMatching(/\.\d+\./)]);
  });

  it('can be completed without a restart, after another process died in a completion', async () => {
    const { uploadId, named } = await claimed('a/taken-over', Date.now() - 11_000);
    await store.completeMultipart('a/taken-over', uploadId, named);
    expect(String(await buffer(await store.open('a/taken-over')))).toBe('content');
  });

  it('can be sent, listed and aborted after another process died in a completion', async () => {
    const { uploadId } = await claimed('a/dead', Date.now() - 11_000);
    expect(await store.listParts('a/dead', uploadId)).toHaveLength(1);
    const again = await claimed('a/dead-too', Date.now() - 11_000);
    await store.putPart('a/dead-too', again.uploadId, part, content());
    const last = await claimed('a/dead-as-well', Date.now() - 11_000);
    for (const id of [uploadId, again.uploadId, last.uploadId]) await store.abortMultipart('a/dead', id);
    for (const id of [uploadId, again.uploadId, last.uploadId]) {
      expect(readdirSync(parts).filter((name) => name.startsWith(id))).toEqual([]);
    }
  });

  it('counts the newer version of a part when a crash left two, and completes with it alone', async () => {
    const uploadId = await store.beginMultipart('a/two');
    const older = await store.putPart('a/two', uploadId, part, content());
    const [name] = readdirSync(join(parts, uploadId));
    const newer = await store.putPart('a/two', uploadId, part, Readable.from([Buffer.from('renewed')]));
    writeFileSync(join(parts, uploadId, name!), 'content');
    expect(await store.listParts('a/two', uploadId)).toEqual([{ ...part, etag: newer }]);
    const wrong = store.completeMultipart('a/two', uploadId, [{ partNumber: 1, etag: older }]);
    await expect(wrong).rejects.toBeInstanceOf(PartMismatch);
    await store.completeMultipart('a/two', uploadId, [{ partNumber: 1, etag: newer }]);
    expect(String(await buffer(await store.open('a/two')))).toBe('renewed');
    expect(readdirSync(join(folder, 'blobs/a/two'))).toHaveLength(1);
  });

  it('is still an upload or already a blob at whatever step of its completion the process is killed', async () => {
    const states = new Set<string>();
    for (let step = 1, died = true; died; step++) {
      const key = `a/killed-${step}`;
      const uploadId = await store.beginMultipart(key);
      const named: { partNumber: number; etag: string }[] = [];
      for (const partNumber of [1, 2, 3]) {
        named.push({ partNumber, etag: await store.putPart(key, uploadId, { ...part, partNumber }, content()) });
      }
      named.splice(1, 1);
      died = completeAndDie({ folder, step, key, uploadId, named }) === 'SIGKILL';
      await new DiskBlobStore(folder).prepare();
      const blob = await store.stat(key);
      states.add(blob ? 'blob' : 'upload');
      if (!blob) await store.completeMultipart(key, uploadId, named);
      expect(String(await buffer(await store.open(key)))).toBe('contentcontent');
      expect(readdirSync(parts).filter((name) => name.startsWith(uploadId))).toEqual([]);
    }
    expect(states).toEqual(new Set(['upload', 'blob']));
  });

  it('is removed completely: a crash leaves no blob of it, and a later start removes the rest', async () => {
    const { uploadId, named } = await claimed('a/removed', 0);
    await store.completeMultipart('a/removed', uploadId, named);
    const aside = join(folder, 'arriving', 'aside');
    renameSync(join(folder, 'blobs/a/removed'), aside); // the state at the crash
    expect(await store.stat('a/removed')).toBeUndefined();
    const anHourAgo = Date.now() / 1000 - 3600;
    utimesSync(aside, anHourAgo, anHourAgo);
    await store.prepare();
    expect(readdirSync(join(folder, 'arriving'))).toEqual([]);
  });

  it('has no public URL', async () => {
    const store: BlobStore = new DiskBlobStore(folder);
    expect(await store.presignedPartUrl('a/b', 'upload', 1, 60)).toBeUndefined();
    const presentation = {
      method: 'GET',
      expiresInSeconds: 60,
      contentType: 'a/b',
      cacheControl: 'x',
      disposition: null,
    } as const;
    expect(await store.presignedDownloadUrl('a/b', presentation)).toBeUndefined();
  });
});

describeOnSmallDisk('a disk that is full', () => {
  let disk: SmallDisk;
  let folder: string;
  beforeAll(() => {
    disk = SmallDisk.mount(4);
    ({ folder } = disk);
  });
  afterAll(() => disk.unmount());

  it('is reported by the store, which leaves nothing half-written and works again when there is room', async () => {
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

  it('is reported when others fill it while content arrives', async () => {
    const store = new DiskBlobStore(folder);
    await store.prepare();
    const arriving = async function* () {
      yield Buffer.alloc(500_000);
      disk.fill();
      yield Buffer.alloc(500_000);
    };
    const refusal = await store.put('a/fourth', Readable.from(arriving()), 1_000_000).catch((error: unknown) => error);
    expect((refusal as BlobStoreUnavailable).options?.full).toBe(true);
    disk.makeRoom();
    expect(filesIn(folder)).toEqual([]);
  });

  it('still lets a blob of parts be removed', async () => {
    const store = new DiskBlobStore(folder);
    await store.prepare();
    const uploadId = await store.beginMultipart('a/parts');
    const etag = await store.putPart('a/parts', uploadId, { partNumber: 1, sizeBytes: 9 }, Readable.from([Buffer.alloc(9)]));
    await store.completeMultipart('a/parts', uploadId, [{ partNumber: 1, etag }]);
    disk.fill();
    await store.remove('a/parts');
    expect(await store.stat('a/parts')).toBeUndefined();
    disk.makeRoom();
  });

  it('answers an upload with 503 and a clear message, changes nothing, and the process lives', async () => {
    const server = await TestServer.start({ DATA_DIR: folder, DATABASE_URL: `file:${dataFolder()}/x.db` });
    const api = await server.api('file-management');
    const { id, uploadUrl } = (await api.ask('mutation{createFile{id uploadUrl}}')).createFile;
    const response = await fetch(uploadUrl, { method: 'PUT', body: Buffer.alloc(5_000_000) });
    expect([response.status, await response.json()]).toEqual([
      503,
      { code: 'SERVICE_UNAVAILABLE', message: 'The disk of the store is full; nothing was changed' },
    ]);
    expect((await api.ask(`{file(ID:"${id}"){status error{code}}}`)).file).toEqual({ status: 'uploading', error: null });
    expect(filesIn(folder).filter((path) => !path.endsWith('.key'))).toEqual([]);
    expect((await fetch(uploadUrl, { method: 'PUT', body: Buffer.from('small') })).status).toBe(200);
    await server.app.close();
  });
});
