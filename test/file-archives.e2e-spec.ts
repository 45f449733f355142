import { randomBytes, createHash } from 'node:crypto';
import { get } from 'node:http';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// Past the API: open transfers, which no API shows, and names of entries without an archive for each.
import { entryNames } from '../src/modules/file-management/archives/entry-names.js';
import { Transfers } from '../src/modules/file-management/content-rules/transfers.service.js';
import type { Api } from './support/api.js';
import { runProgram } from './support/language-clients.js';
import { needing, program, SERVICE } from './support/needs.js';
import { freshBucket } from './support/s3.js';
import { TestServer } from './support/server.js';
import { until } from './support/websockets.js';

const MIB = 1024 * 1024;
const ADDRESS = 'query($ids:[ID],$folder:String,$expiresIn:Int){filesArchiveUrl(ids:$ids,folder:$folder,expiresIn:$expiresIn)}';
const UNKNOWN = '01a1fc71-ac8b-74ea-88bc-78167c5aaf33';
/** Reads an archive with the library of Python, checks every sum of it, and prints the names with the SHA-256 of their contents. */
const READ = `import hashlib, json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    print(json.dumps({one.filename: hashlib.sha256(archive.read(one)).hexdigest() for one in archive.infolist()}))`;
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');
const PYTHON = program('python3');

needing(PYTHON).describe('an archive of files in a folder', () => archives(() => ({})));
needing(SERVICE.s3, PYTHON).describe('an archive of files in an S3 store', () => {
  archives(() => {
    const { endpoint, accessKey, secretKey, bucket } = freshBucket();
    return { S3_ENDPOINT: endpoint, S3_ACCESS_KEY: accessKey, S3_SECRET_KEY: secretKey, S3_BUCKET: bucket };
  });
});

function archives(settings: () => Record<string, string>): void {
  const folder = mkdtempSync(join(tmpdir(), 'platform-services-archive-'));
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await TestServer.start(settings());
  });
  beforeEach(async () => {
    api = await server.api('file-management');
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const put = async (url: string, body: string | Buffer) =>
    (await fetch(url, { method: 'PUT', body: Buffer.from(body) as never })).status;
  const make = async (name: string, body?: string | Buffer, more = {}): Promise<string> => {
    const input = { name, ...more };
    const { createFile } = await api.ask('mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl}}', { input });
    if (body !== undefined) expect(await put(createFile.uploadUrl, body)).toBe(200);
    return createFile.id;
  };
  const address = async (variables: Record<string, unknown>): Promise<string> =>
    (await api.ask(ADDRESS, variables)).filesArchiveUrl;
  const refusal = async (variables: object, of = api) => {
    const { code, field } = await of.refusal(ADDRESS, variables as Record<string, unknown>);
    return [code, field];
  };

  async function read(url: string): Promise<{ files: Record<string, string>; response: Response }> {
    const response = await fetch(url);
    expect(response.status).toBe(200);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    const file = join(folder, 'read.zip');
    writeFileSync(file, bytes);
    const { status, stdout, output } = await runProgram('python3', ['-c', READ, file], folder, {});
    expect([status, output]).toEqual([0, stdout]);
    return { files: JSON.parse(stdout), response };
  }

  it('an archive contains all files of a folder with its subfolders, byte for byte, with its size known in advance', async () => {
    const large = randomBytes(3 * MIB);
    for (const [name, body] of [['a/x.txt', 'one'], ['a/b/ü.bin', large], ['a/empty', ''], ['a', 'beside'], ['ab/c', 'beside']] as const)
      await make(name, body); // prettier-ignore
    const { files, response } = await read(await address({ folder: 'a/' }));
    expect(files).toEqual({ 'x.txt': sha256('one'), 'b/ü.bin': sha256(large), empty: sha256('') });
    const { headers } = response;
    expect(headers.get('content-type')).toBe('application/zip');
    expect(headers.get('content-disposition')).toBe(`attachment; filename="a.zip"; filename*=UTF-8''a.zip`);
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(headers.get('access-control-allow-origin')).toBe('*');
  });

  it('an archive contains the files of its ids, each name once, without those that have no content', async () => {
    const ids = [
      await make('n.txt', 'first'),
      await make('N.txt', 'second'),
      await make('none'),
      await make('gone', 'x', { expiresIn: 5 }),
    ];
    await until(async () => (await api.ask(`{file(ID:"${ids[3]}"){status}}`)).file.status === 'expired');
    const other = await server.api('file-management');
    const foreign = (await other.ask('mutation{createFile{id}}')).createFile.id;
    const { files } = await read(await address({ ids: [...ids, ids[0], foreign, UNKNOWN] }));
    expect(Object.values(files).sort()).toEqual([sha256('first'), sha256('second')].sort());
    expect(
      Object.keys(files)
        .map((name) => name.toLowerCase())
        .sort(),
    ).toEqual(['n (2).txt', 'n.txt']);
  });

  it('an archive contains a file without a name under its id', async () => {
    const { createFile } = await api.ask('mutation{createFile(input:{}){id uploadUrl}}');
    expect(await put(createFile.uploadUrl, 'nameless')).toBe(200);
    const { files } = await read(await address({ ids: [createFile.id, await make('a', 'named')] }));
    expect(files).toEqual({ [createFile.id]: sha256('nameless'), a: sha256('named') });
  });

  it('an archive numbers a file that has the name of a folder', async () => {
    for (const [name, body] of [
      ['u/x', 'file'],
      ['u/x/y', 'inner'],
      ['u/X/z', 'other'],
    ] as const)
      await make(name, body);
    const archive = join(folder, 'unpacked.zip');
    writeFileSync(archive, Buffer.from(await (await fetch(await address({ folder: 'u/' }))).arrayBuffer()));
    const target = join(folder, 'unpacked');
    const unpack = 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])';
    const { status, output } = await runProgram('python3', ['-c', unpack, archive, target], folder, {});
    expect([status, output]).toEqual([0, '']);
    const content = (name: string) => readFileSync(join(target, name), 'utf8');
    expect([content('x (2)'), content('x/y'), content('X/z')]).toEqual(['file', 'inner', 'other']);
  });

  it('an archive answers HEAD with the headers of a GET, for its own URL only, without using a download slot', async () => {
    const url = await address({ ids: [await make('h', randomBytes(MIB))] });
    const [head, got] = [await fetch(url, { method: 'HEAD' }), await fetch(url)];
    expect([head.status, await head.text(), (await got.arrayBuffer()).byteLength > MIB]).toEqual([200, '', true]);
    for (const name of ['content-length', 'content-type', 'content-disposition', 'cache-control'])
      expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)]);
    const transfers = server.app.get(Transfers, { strict: false }) as unknown as { open: Set<unknown> };
    await until(() => transfers.open.size === 0);
    expect((await fetch(url.replace('signature=', 'signature=x'), { method: 'HEAD' })).status).toBe(403);
    expect((await fetch(url, { method: 'HEAD', headers: { 'service-worker': 'script' } })).status).toBe(403);
  });

  it('an archive is refused with the invalid field, and files of another tenant are not found', async () => {
    const id = await make('f/a', 'x');
    const empty = await make('e/a');
    const stranger = await server.api('file-management');
    for (const [variables, ...expected] of [
      [{}, 'BAD_USER_INPUT', 'ids'],
      [{ ids: [id], folder: 'f/' }, 'BAD_USER_INPUT', 'folder'],
      [{ ids: [] }, 'BAD_USER_INPUT', 'ids'],
      [{ ids: Array(101).fill(id) }, 'BAD_USER_INPUT', 'ids'],
      [{ folder: '' }, 'BAD_USER_INPUT', 'folder'],
      [{ folder: 'x'.repeat(1_025) }, 'BAD_USER_INPUT', 'folder'],
      [{ ids: [id], expiresIn: 0 }, 'BAD_USER_INPUT', 'expiresIn'],
      [{ ids: [empty, UNKNOWN, 'x'] }, 'NOT_FOUND', undefined],
      [{ folder: 'e/' }, 'NOT_FOUND', undefined],
    ] as const) {
      expect([variables, ...(await refusal(variables))]).toEqual([variables, ...expected]);
    }
    for (const variables of [{ ids: [id] }, { folder: 'f/' }])
      expect(await refusal(variables, stranger)).toEqual(['NOT_FOUND', undefined]);
  });

  it('an archive is created by its own URL only: a changed or expired one is refused', async () => {
    const [id, other] = [await make('f/a', 'x'), await make('g/a', 'y')];
    const stranger = await server.api('file-management');
    const strangers = (await stranger.ask('mutation{createFile{id uploadUrl}}')).createFile;
    expect(await put(strangers.uploadUrl, 'z')).toBe(200);
    const url = await address({ ids: [id] });
    const foreign = new URL((await stranger.ask(ADDRESS, { ids: [strangers.id] })).filesArchiveUrl);
    const changed = (name: string, value: string) => {
      const one = new URL(url);
      one.searchParams.set(name, value);
      return one.href;
    };
    const twice = `${url}&ids=${other}`;
    for (const wrong of [
      changed('ids', other),
      changed('ids', `${id},${other}`),
      changed('folder', 'f/'),
      changed('tenant', foreign.searchParams.get('tenant')!),
      changed('expires', '99999999999'),
      changed('signature', foreign.searchParams.get('signature')!),
      url.replace(/\?.*/, ''),
      twice,
    ]) {
      expect([wrong, (await fetch(wrong)).status]).toEqual([wrong, 403]);
    }
    const brief = await address({ ids: [id], expiresIn: 1 });
    await until(async () => (await fetch(brief)).status === 403);
    expect((await fetch(url, { headers: { 'service-worker': 'script' } })).status).toBe(403);
    expect((await fetch(url)).status).toBe(200);
  });

  it('an archive holds one download slot, which is released when its reader leaves', async () => {
    const ids = await Promise.all(['a', 'b', 'c'].map((name) => make(name, randomBytes(8 * MIB))));
    const url = await address({ ids });
    const transfers = server.app.get(Transfers, { strict: false }) as unknown as { open: Set<unknown> };
    const request = get(url, (response) => response.once('data', () => response.pause()));
    request.on('error', () => undefined);
    await until(() => transfers.open.size === 1);
    request.destroy();
    await until(() => transfers.open.size === 0);
    expect(Object.values((await read(url)).files)).toHaveLength(3);
  });

  it('an archive breaks off visibly when a file of it is lost midway', async () => {
    const ids = [await make('a', randomBytes(8 * MIB)), await make('b', randomBytes(8 * MIB))];
    const url = await address({ ids });
    const ended = await new Promise<string>((resolve) => {
      const request = get(url, (response) => {
        response.once('data', () => {
          response.pause();
          void api.ask(`mutation{deleteFiles(ids:["${ids[1]}"])}`).then(() => response.resume());
        });
        response.once('end', () => resolve('whole')).once('error', () => resolve('broken'));
      });
      request.on('error', () => undefined);
    });
    expect(ended).toBe('broken');
  });

  it('an archive acquires its slot before it reads a file, and counts a folder once for equal fields', async () => {
    const id = await make('f/a', 'x');
    const url = await address({ folder: 'f/' });
    const counted = async () => {
      const text = await (await fetch(`${server.address}/metrics`)).text();
      return Number(/^heavy_work_total\{kind="field",outcome="done"\} (\d+)/m.exec(text)?.[1] ?? 0);
    };
    const before = await counted();
    await api.ask(`{${Array.from({ length: 100 }, (_, at) => `a${at}:filesArchiveUrl(folder:"f/")`).join(' ')}}`);
    expect((await counted()) - before).toBe(1);
    await api.ask(`mutation{deleteFile(id:"${id}"){id}}`);
    const transfers = server.app.get(Transfers, { strict: false });
    const { slots } = transfers;
    transfers.slots = 0;
    expect((await fetch(url)).status).toBe(503);
    transfers.slots = slots;
    expect((await fetch(url)).status).toBe(404);
  });

  it('an archive is refused for a folder of over 1,000 files, with what to do', async () => {
    const aliases = (from: number) =>
      Array.from({ length: 100 }, (_, at) => `f${at}:createFile(input:{name:"many/${from + at}"}){id}`);
    for (let from = 0; from <= 1_000; from += 100) await api.ask(`mutation{${aliases(from).join(' ')}}`);
    expect(await api.refusal(ADDRESS, { folder: 'many/' })).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      field: 'folder',
      message: 'The folder has over 1,000 files, the limit of an archive; download its subfolders one by one',
    });
  });
}

describe('names in an archive', () => {
  const go = async (): Promise<void> => undefined;
  const names = (...given: (string | null)[]) => entryNames(given.map((name, at) => ({ id: `id${at}`, name })), 'a/', go); // prettier-ignore

  it('never lead outside the folder in which it is unpacked, on any platform', async () => {
    const hostile = await names(
      'a/../../etc/passwd',
      '/etc/passwd',
      'a//x',
      'C:\\x',
      'a/..\\..\\x',
      'a/con\u0000\u001b[31m',
      'a/./y',
      null,
      '',
    );
    expect(hostile).toEqual(['_/_/etc/passwd', 'etc/passwd', 'x', 'C__x', '.._.._x', 'con__[31m', '_/y', 'id7', 'id8']);
  });

  it('are unique in any letter case', async () => {
    expect(await names('a/x.txt', 'a/X.txt', 'x.txt', 'a/b', 'a/B', 'a/d.e/f', 'a/d.e/F')).toEqual([
      'x.txt', 'X (2).txt', 'x (3).txt', 'b', 'B (2)', 'd.e/f', 'd.e/F (2)',
    ]); // prettier-ignore
  });

  it('are never those of folders, in any letter case, with a number or without', async () => {
    expect(await names('a/x', 'a/x/y', 'a/P.d', 'a/p.D/q/r', 'a/p (2).d/s', 'a/xx/y')).toEqual([
      'x (2)', 'x/y', 'P (3).d', 'p.D/q/r', 'p (2).d/s', 'xx/y',
    ]); // prettier-ignore
    expect(await names(null, 'id0/x')).toEqual(['id0 (2)', 'id0/x']);
  });

  it('are found in a number of tries that grows with the files, even if numbered names are taken', async () => {
    const files = Array.from({ length: 1_000 }, (_, at) => ({ id: `id${at}`, name: at < 500 ? `Σ (${at}).txt` : 'σ.TXT' }));
    let turns = 0;
    const made = await entryNames(files, '', async () => void turns++);
    expect(new Set(made.map((name) => name.toLowerCase())).size).toBe(1_000);
    expect(turns).toBeLessThan(3_000);
  });

  it('are not computed further once the caller has left', async () => {
    let turns = 0;
    const left = async (): Promise<void> => {
      if (++turns === 10) throw new Error('left');
    };
    const files = Array.from({ length: 1_000 }, (_, at) => ({ id: `id${at}`, name: 'a' }));
    await expect(entryNames(files, '', left)).rejects.toThrow('left');
    expect(turns).toBe(10);
  });
});
