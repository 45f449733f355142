// @nightly postgresql: no SQL of its own
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  type Client,
  ConnectionError,
  ContentMismatchError,
  createClient,
  download,
  type PartsTarget,
  sha256,
  upload,
  type UploadHandle,
} from '../clients/js/dist/index.js';
import { ClientAndServer } from './support/client.js';
import { freePort } from './support/process.js';
import { until } from './support/websockets.js';

const MIB = 1024 * 1024;
const CHILD = fileURLToPath(new URL('./support/upload-child.mjs', import.meta.url));
const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const PARTS = { partsFrom: 0, partBytes: 5 * MIB };
const WAYS: [string, object][] = [
  ['in one request', {}],
  ['in parts', PARTS],
];

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('the JavaScript client for files', () => {
  let both: ClientAndServer;
  let client: Client;
  const small = randomBytes(300_000);
  const large = randomBytes(12 * MIB + 7);
  const pathOf = (name: string) => join(both.server.dataDir, name);
  const stored = async (id: string) => sha(await bytesOf((await client.files.download(id)).stream));
  beforeAll(async () => {
    both = await ClientAndServer.start();
    ({ client } = both);
    writeFileSync(pathOf('small.bin'), small);
    writeFileSync(pathOf('large.bin'), large);
  });
  afterEach(() => both.proxy.pass());
  afterAll(() => both.stop());

  it('reports that nothing happened if no connection was opened', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}/nobody`;
    const error: unknown = await upload(new Blob(['a']), nobody, { retries: 0 }).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ mayHaveHappened: false });
  });

  it.each<[string, () => Parameters<Client['files']['upload']>[0], number]>([
    ['a path', () => pathOf('small.bin'), 300_000],
    ['a Buffer', () => small, 300_000],
    ['a Blob', () => new Blob([small]), 300_000],
    ['a stream of Node', () => Readable.from([small.subarray(0, 1_000), small.subarray(1_000)]), 300_000],
    ['a stream of the web', () => new Blob([small]).stream() as never, 300_000],
    ['nothing', () => new Uint8Array(), 0],
  ])('uploads %s in one request, with progress, checks its SHA-256 and reads the same bytes', async (_, source, size) => {
    const steps: number[] = [];
    const file = await client.files.upload(source(), { name: 'one.bin', onProgress: ({ done }) => steps.push(done) });
    expect(file).toMatchObject({
      status: 'done',
      contentLength: size,
      name: 'one.bin',
      checksumSha256: sha(small.subarray(0, size)),
    });
    expect(steps.at(-1) ?? 0).toBe(size);
    expect(await stored(file.id)).toBe(sha(small.subarray(0, size)));
  });

  it.each<[string, () => Parameters<Client['files']['upload']>[0]]>([
    ['a path', () => pathOf('large.bin')],
    ['a Buffer', () => large],
    ['a Blob', () => new Blob([large])],
    ['a stream', () => Readable.from([large.subarray(0, 7 * MIB), large.subarray(7 * MIB)])],
  ])('uploads %s in parts', async (_, source) => {
    const steps: number[] = [];
    const file = await client.files.upload(source(), { ...PARTS, name: 'parts.bin', onProgress: ({ done }) => steps.push(done) });
    expect(file).toMatchObject({ status: 'done', contentLength: large.length });
    expect(steps.at(-1)).toBe(large.length);
    expect(await stored(file.id)).toBe(sha(large));
  });

  it('takes the name and type of a file from its source', async () => {
    const file = await client.files.upload(new File([small], 'ü (1).png', { type: 'image/png' }));
    expect(file).toMatchObject({ name: 'ü (1).png', contentType: 'image/png' });
    expect((await client.files.upload(pathOf('small.bin'))).name).toBe('small.bin');
  });

  it('resends a part or a single PUT after its connection was cut', async () => {
    let sent = 0;
    let cuts = 0;
    both.proxy.toStore = (bytes) => {
      sent += bytes.length;
      if (cuts >= 2 || sent < (cuts + 1) * 3 * MIB) return 'pass';
      cuts += 1;
      return 'cut';
    };
    const file = await client.files.upload(large, { ...PARTS, parallel: 2 });
    expect(await stored(file.id)).toBe(sha(large));
    expect(cuts).toBe(2);
    const whole = await client.files.upload(large);
    expect(whole.checksumSha256).toBe(sha(large));
  });

  it('leaves no file after a failure or an abort', async () => {
    const before = (await client.files.storageUsed())!.fileCount;
    const abort = new AbortController();
    const onProgress = ({ done }: { done: number }) => done > MIB && abort.abort(new Error('enough'));
    await expect(client.files.upload(large, { signal: abort.signal, onProgress })).rejects.toThrow('enough');
    await expect(client.files.upload(large, { ...PARTS, signal: abort.signal })).rejects.toThrow('enough');
    await expect(client.files.upload(small, { checksumSha256: sha(large) })).rejects.toThrow(/SHA-256/);
    await expect(client.files.upload(large, { ...PARTS, checksumSha256: sha(small) })).rejects.toThrow(/SHA-256/);
    await expect(client.files.upload(pathOf('nothing.bin'))).rejects.toThrow(/ENOENT/);
    await expect(client.files.upload(small, { partBytes: 1 })).rejects.toThrow('partBytes must be from 5 MiB to 5 GiB');
    const failing = Readable.from(
      (function* () {
        yield large.subarray(0, 6 * MIB);
        throw new Error('the source broke');
      })(),
    );
    await expect(client.files.upload(failing, PARTS)).rejects.toThrow('the source broke');
    expect((await client.files.storageUsed())!.fileCount).toBe(before);
  });

  it('completes over a slow network, and with a slow stream', async () => {
    let chunks = 0;
    both.proxy.pace = async () => {
      chunks += 1;
      await delay(2);
    };
    expect((await client.files.upload(large)).checksumSha256).toBe(sha(large));
    expect(chunks).toBeGreaterThan(20);
    both.proxy.pass();
    const slow = async function* () {
      for (let at = 0; at < large.length; at += MIB) {
        await client.files.storageUsed(); // as long as a request takes
        yield large.subarray(at, at + MIB);
      }
    };
    const file = await client.files.upload(slow(), { ...PARTS, checksumSha256: sha(large) });
    expect(file).toMatchObject({ status: 'done', checksumSha256: sha(large) });
  });

  it.each(WAYS)(
    'abandons the deletion of a failed upload %s if nothing answers, and leaves no open request',
    async (_, options) => {
      let underWay = 0;
      const counted: typeof fetch = (...request) => {
        underWay += 1;
        return fetch(...request).finally(() => (underWay -= 1));
      };
      const { files } = createClient({ url: both.proxy.endpoint, key: both.key, fetch: counted });
      let isSwallowed = false;
      both.proxy.toStore = (bytes) => {
        isSwallowed ||= /deleteFile|abortMultipartUpload/.test(bytes.toString('latin1'));
        return isSwallowed ? 'swallow' : 'pass';
      };
      const startedAt = Date.now();
      await expect(files.upload(large, { ...options, checksumSha256: sha(small) })).rejects.toThrow(/SHA-256/);
      expect({ isSwallowed, underWay }).toEqual({ isSwallowed: true, underWay: 0 });
      expect(Date.now() - startedAt).toBeLessThan(35_000); // an operation without an answer ends after 40 s
    },
  );

  it.each(WAYS)('stops an upload %s on its signal when nothing answers, without waiting for its deletion', async (_, options) => {
    const abort = new AbortController();
    let isSwallowed = false;
    both.proxy.toStore = (bytes) => {
      isSwallowed ||= bytes.toString('latin1', 0, 4) === 'PUT ';
      if (isSwallowed) setImmediate(() => abort.abort(new Error('enough')));
      return isSwallowed ? 'swallow' : 'pass';
    };
    const startedAt = Date.now();
    await expect(client.files.upload(large, { ...options, signal: abort.signal })).rejects.toThrow('enough');
    expect(Date.now() - startedAt).toBeLessThan(35_000); // an operation without an answer ends after 40 s
  });

  it('resumes after a kill from what the server has, and refuses other content', async () => {
    const child = spawn(process.execPath, [CHILD, both.proxy.endpoint, both.key, pathOf('large.bin')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let handle: UploadHandle | undefined;
    for await (const line of createInterface({ input: child.stdout })) {
      const said = JSON.parse(line) as { handle?: UploadHandle; done?: number };
      handle ??= said.handle;
      if (said.done! > 7 * MIB) child.kill('SIGKILL');
    }
    const firsts = (await client.files.multipartUpload({ fileId: handle!.fileId, uploadId: handle!.uploadId }))!.parts;
    expect(firsts.length).toBeGreaterThan(0);
    const sent: string[] = [];
    both.proxy.toStore = (bytes) => (sent.push(/^PUT \S+\/(\d+)\?/.exec(bytes.toString('latin1'))?.[1] ?? ''), 'pass');
    const file = await client.files.upload(pathOf('large.bin'), { resume: handle });
    // The server may have stored one more meanwhile, whose bytes had arrived before the process died.
    const missing = [1, 2, 3].filter((number) => !firsts.some(({ partNumber }) => partNumber === number)).map(String);
    const again = sent.filter(Boolean).sort();
    expect([missing, missing.slice(1)]).toContainEqual(again);
    expect(again).toContain('3');
    expect(file.id).toBe(handle!.fileId);
    expect(await stored(file.id)).toBe(sha(large));
    expect(await client.files.upload(pathOf('large.bin'), { resume: handle })).toMatchObject({ id: file.id, status: 'done' });

    let changed: UploadHandle;
    const stop = new AbortController();
    const onProgress = ({ done }: { done: number }) => done > 6 * MIB && stop.abort(new Error('stopped'));
    const onStart = (started: UploadHandle) => void (changed = started);
    await expect(client.files.upload(large, { ...PARTS, parallel: 1, onStart, onProgress, signal: stop.signal })).rejects.toThrow(
      'stopped',
    );
    const other = Buffer.from(large);
    other[0]! ^= 1;
    await expect(client.files.upload(other, { resume: changed! })).rejects.toBeInstanceOf(ContentMismatchError);
  });

  it('uploads without a key, as a page does, to a URL or in parts that its server provides', async () => {
    const blob = new Blob([large]);
    const input = { name: 'page.bin', checksumSha256: await sha256(blob) };
    const { id, uploadUrl } = await client.files.createFile({ input }, { id: true, uploadUrl: true });
    expect(await upload(blob, uploadUrl!, { name: 'page.bin' })).toMatch(/^".+"$/);
    const { downloadUrl } = (await client.files.file({ ID: id }, { downloadUrl: true }))!;
    expect(sha(await bytesOf((await download(downloadUrl!)).stream))).toBe(sha(large));

    const second = await client.files.createFile({ input }, { id: true });
    const { uploadId } = await client.files.initiateMultipartUpload({ input: { fileId: second.id } });
    const target: PartsTarget<{ id: string }> = client.files.parts({ fileId: second.id, uploadId });
    expect(await upload(blob, target, { partBytes: 5 * MIB })).toMatchObject({ id: second.id, status: 'done' });
  });

  it('resumes a download after its connection was cut, and detects replaced content', async () => {
    const { id } = await client.files.upload(large, { name: 'read.bin' });
    let came = 0;
    let cuts = 0;
    both.proxy.fromStore = (bytes) => {
      came += bytes.length;
      if (cuts >= 3 || came < (cuts + 1) * 2 * MIB) return 'pass';
      cuts += 1;
      return 'cut';
    };
    const steps: number[] = [];
    const { stream, size } = await client.files.download(id, { onProgress: ({ done }) => steps.push(done) });
    expect(sha(await bytesOf(stream))).toBe(sha(large));
    expect({ size, cuts, last: steps.at(-1) }).toEqual({ size: large.length, cuts: 3, last: large.length });

    came = 0; // most of the content must not be in buffers of the connection when it is replaced
    let wasCut = false;
    both.proxy.fromStore = (bytes) => {
      if (bytes.length <= 10_000 || (came += bytes.length) <= MIB / 8) return 'pass';
      wasCut = true;
      return 'cut';
    };
    const begun = await client.files.download(id);
    const reader = begun.stream.getReader();
    await reader.read();
    const { uploadUrl } = (await client.files.file({ ID: id }, { uploadUrl: true }))!;
    await fetch(uploadUrl!, { method: 'PUT', body: Buffer.concat([large, small]) });
    const rest = async () => {
      while (!(await reader.read()).done);
    };
    const failed = expect(rest()).rejects.toBeInstanceOf(ContentMismatchError);
    await until(() => wasCut);
    both.proxy.pass();
    await failed;
  });

  it('writes a download to a file that appears once it is complete, and resumes an earlier attempt', async () => {
    const { id } = await client.files.upload(large);
    const path = pathOf('copy.bin');
    writeFileSync(`${path}.part`, large.subarray(0, 8 * MIB));
    let came = 0;
    both.proxy.fromStore = (bytes) => ((came += bytes.length), 'pass');
    await client.files.downloadTo(id, path);
    expect(sha(readFileSync(path))).toBe(sha(large));
    expect(came).toBeLessThan(5 * MIB);
    writeFileSync(`${path}.part`, small);
    await expect(client.files.downloadTo(id, path)).rejects.toBeInstanceOf(ContentMismatchError);
    await client.files.downloadTo(id, path);
    expect(sha(readFileSync(path))).toBe(sha(large));
  });

  it('requests another URL when one has expired', async () => {
    const { id } = await client.files.upload(small);
    const urls = [true, false].map((isExpired) => async () => {
      const { downloadUrl } = (await client.files.file({ ID: id }, { downloadUrl: true }))!;
      return isExpired ? `${downloadUrl}0` : downloadUrl!;
    });
    expect(sha(await bytesOf((await download(() => urls.shift()!())).stream))).toBe(sha(small));
  });
});
