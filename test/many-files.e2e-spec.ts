import { randomBytes } from 'node:crypto';
import type { Api } from './support/api.js';
import { allRowsOf } from './support/behind-the-api.js';
import { dialect, explained } from './support/plans.js';
import { PolledWebhook } from './support/polled-webhook.js';
import { describeOnS3, freshBucket } from './support/s3.js';
import { TestServer } from './support/server.js';
// Past the API: a statement whose plan is examined.
import { filesBelow } from '../src/modules/file-management/files/files-below.queries.js';
import { until } from './support/websockets.js';

declare const databaseKind: 'sqlite' | 'postgresql';

const MIB = 1024 * 1024;
const FIELDS = `id name comment contentType contentLength status uploaded public expiresAt externalReference checksumSha256 etag maxBytes
  attributes{name value} author{id} downloadUrl uploadUrl`;
const COPY = `mutation($id:ID!,$name:String!){copyFile(id:$id,name:$name){${FIELDS}}}`;
const DELETE = 'mutation($ids:[ID],$folder:String){deleteFiles(ids:$ids,folder:$folder)}';
const UNKNOWN = '01a1fc71-ac8b-74ea-88bc-78167c5aaf33';

describe('operations on many files in the default store', () => manyFiles(() => ({})));
// PostgreSQL runs with the S3 server by default, so SQLite with it is left to the night.
if (databaseKind === 'sqlite' && (process.env.TEST_LONG === '1' || !process.env.TEST_DATABASE_URL))
  describeOnS3('operations on many files in an S3 store', () => {
    manyFiles(() => {
      const { endpoint, accessKey, secretKey, bucket } = freshBucket();
      return { S3_ENDPOINT: endpoint, S3_ACCESS_KEY: accessKey, S3_SECRET_KEY: secretKey, S3_BUCKET: bucket };
    });
  });

function manyFiles(settings: () => Record<string, string>): void {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await TestServer.start(settings());
  });
  beforeEach(async () => {
    api = await server.api('file-management');
  });
  afterAll(() => server.stop());

  const put = async (url: string, body: string | Buffer) =>
    (await fetch(url, { method: 'PUT', body: Buffer.from(body) as never })).status;
  const make = async (input: object, body?: string | Buffer): Promise<any> => {
    const { createFile } = await api.ask('mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl}}', { input });
    if (body !== undefined) expect(await put(createFile.uploadUrl, body)).toBe(200);
    return find(createFile.id);
  };
  const find = async (id: string) => (await api.ask(`{file(ID:"${id}"){${FIELDS}}}`)).file;
  const read = async ({ downloadUrl }: { downloadUrl: string }) => Buffer.from(await (await fetch(downloadUrl)).arrayBuffer());
  const copy = async (id: string, name: string) => (await api.ask(COPY, { id, name })).copyFile;
  const remove = async (variables: Record<string, unknown>): Promise<number> => (await api.ask(DELETE, variables)).deleteFiles;
  const names = async () => (await api.ask('{files(limit:1000){items{name}}}')).files.items.map(({ name }: any) => name).sort();
  const used = async () => (await api.ask('{storageUsed{fileCount fileSize}}')).storageUsed;
  const inParts = async (...bodies: Buffer[]) => {
    const { id } = await make({ name: 'parts' });
    const begin = await api.ask(`mutation{initiateMultipartUpload(input:{fileId:"${id}"}){uploadId}}`);
    const upload = { fileId: id, uploadId: begin.initiateMultipartUpload.uploadId };
    const etags = [];
    for (const [index, body] of bodies.entries()) {
      const query = 'mutation($input:generatePartUploadUrlInput!){generatePartUploadUrl(input:$input)}';
      const { generatePartUploadUrl: url } = await api.ask(query, { input: { ...upload, partNumber: index + 1 } });
      const { headers } = await fetch(url, { method: 'PUT', body: body as never });
      etags.push({ partNumber: index + 1, ETag: headers.get('etag') });
    }
    const complete = 'mutation($input:completeMultipartUploadInput!){completeMultipartUpload(input:$input){id}}';
    await api.ask(complete, { input: { ...upload, etags } });
    return find(id);
  };

  describe('copyFile', () => {
    it('creates an independent file with all fields of the source, protected and without an expiry', async () => {
      const source = await make(
        {
          name: 'a.txt', comment: 'c', contentType: 'text/plain', author: { id: '7' }, externalReference: 'r', maxBytes: 100, public: true,
          expiresIn: 600, attributes: [{ name: 'k', value: 'v' }],
        },
        'content',
      ); // prettier-ignore
      const made = await copy(source.id, 'b/a.txt');
      const { id, name, downloadUrl, uploadUrl, expiresAt, public: isPublic, ...rest } = source;
      expect(made).toMatchObject({ ...rest, name: 'b/a.txt', public: false, expiresAt: null });
      expect([made.id, made.downloadUrl].every((one) => one && ![id, downloadUrl].includes(one))).toBe(true);
      expect(await find(made.id)).toEqual({ ...made, downloadUrl: expect.any(String), uploadUrl: expect.any(String) });
      expect(String(await read(made))).toBe('content');
      expect(await used()).toEqual({ fileCount: 2, fileSize: 14 });
      expect([name, uploadUrl, expiresAt, isPublic]).toContain('a.txt');
    });

    it('leaves either copy intact when the other is replaced or deleted', async () => {
      const source = await make({ name: 'a' }, 'first');
      const [one, two] = [await copy(source.id, 'one'), await copy(source.id, 'two')];
      expect(await put(source.uploadUrl, 'second')).toBe(200);
      expect(await put(two.uploadUrl, 'third')).toBe(200);
      expect(await Promise.all([source, one, two].map(async ({ id }) => String(await read(await find(id)))))).toEqual([
        'second',
        'first',
        'third',
      ]);
      expect(await remove({ ids: [source.id, two.id] })).toBe(2);
      expect(String(await read(await find(one.id)))).toBe('first');
    });

    it.each([0, 1])('copies content of %d bytes', async (size) => {
      const made = await copy((await make({ name: 'a' }, Buffer.alloc(size))).id, 'b');
      expect([made.contentLength, (await read(made)).length]).toEqual([size, size]);
    });

    it('copies content that was uploaded in parts', async () => {
      const parts = [randomBytes(5 * MIB), randomBytes(10)];
      const source = await inParts(...parts);
      const made = await copy(source.id, 'b');
      expect(made).toMatchObject({ contentLength: 5 * MIB + 10, etag: source.etag, status: 'done' });
      expect(await remove({ ids: [source.id] })).toBe(1);
      expect((await read(made)).equals(Buffer.concat(parts))).toBe(true);
    });

    it('is refused for a file without content, an expired or unknown one, and an invalid name', async () => {
      const empty = await make({ name: 'a' });
      const expired = await make({ name: 'a', expiresIn: 5 }, 'x');
      await until(async () => (await find(expired.id)).status === 'expired');
      const stranger = await server.api('file-management');
      const foreign = (await stranger.ask('mutation{createFile{id}}')).createFile;
      for (const [id, name, code, field] of [
        [empty.id, 'b', 'FAILED_PRECONDITION', 'id'],
        [expired.id, 'b', 'FAILED_PRECONDITION', 'id'],
        [foreign.id, 'b', 'NOT_FOUND'],
        [UNKNOWN, 'b', 'NOT_FOUND'],
        ['x', 'b', 'NOT_FOUND'],
        ['', 'b', 'BAD_USER_INPUT', 'id'],
        [empty.id, '../b', 'BAD_USER_INPUT', 'name'],
        [empty.id, 'x'.repeat(1_025), 'BAD_USER_INPUT', 'name'],
      ] as const) {
        const refusal = await api.refusal(COPY, { id, name });
        expect([refusal.code, refusal.field]).toEqual([code, field]);
      }
    });
  });

  describe('moveFiles', () => {
    const MOVE = 'mutation($ids:[ID],$folder:String,$to:String!){moveFiles(ids:$ids,folder:$folder,to:$to)}';
    const move = async (variables: Record<string, unknown>): Promise<number> => (await api.ask(MOVE, variables)).moveFiles;

    it('moves files by ids with the last segment of their names, once, and leaves out what it cannot move', async () => {
      const made = [await make({ name: 'a/b/1' }, 'x'), await make({ name: '2' }), await make({}), await make({ name: 'd/e/' })];
      const other = await server.api('file-management');
      const foreign = (await other.ask('mutation{createFile(input:{name:"a/b/1"}){id}}')).createFile.id;
      const ids = [...made.map(({ id }) => id), made[0].id, UNKNOWN, 'none', foreign];
      expect(await move({ ids, to: 'c/' })).toBe(3);
      expect(await move({ ids, to: 'c/' })).toBe(0);
      expect((await api.ask('{files(order:NAME){items{name}}}')).files.items.map(({ name }: any) => name)).toEqual([
        'c/1',
        'c/2',
        'c/e/',
        null,
      ]);
      expect((await other.ask(`{file(ID:"${foreign}"){name}}`)).file.name).toBe('a/b/1');
      expect(String(await read(made[0]))).toBe('x');
      expect(await move({ ids: [made[0].id], to: '' })).toBe(1);
      expect((await find(made[0].id)).name).toBe('1');
    });

    it('moves a folder with its subfolders, and nothing beside it, even to a folder with files', async () => {
      for (const name of ['a/b/1', 'a/b/c/2', 'a/b', 'a/bb/3', 'A/b/4', 'x/😀/1']) await make({ name }, 'x');
      const stranger = await server.api('file-management');
      await stranger.ask('mutation{createFile(input:{name:"a/b/1"}){id}}');
      expect(await move({ folder: 'a/b/', to: 'x/😀/' })).toBe(2);
      expect(await names()).toEqual(['A/b/4', 'a/b', 'a/bb/3', 'x/😀/1', 'x/😀/1', 'x/😀/c/2']);
      expect(await move({ folder: 'a/b/', to: 'x/😀/' })).toBe(0);
      expect(await move({ folder: 'x/😀/', to: 'x/' })).toBe(3);
      const { items } = (await api.ask('{files(filter:{folder:"x/c/"}){items{name}}}')).files;
      expect(items).toEqual([{ name: 'x/c/2' }]);
      expect((await stranger.ask('{files{items{name}}}')).files.items).toEqual([{ name: 'a/b/1' }]);
    });

    it('moves up to 1,000 files of a folder per call', async () => {
      for (let at = 0; at < 1_050; at += 50) {
        const some = Array.from({ length: 50 }, (_, one) => `f${one}:createFile(input:{name:"many/${at + one}"}){id}`);
        await api.ask(`mutation{${some.join(' ')}}`);
      }
      expect([await move({ folder: 'many/', to: 'b/' }), await move({ folder: 'many/', to: 'b/' })]).toEqual([1_000, 50]);
      expect((await names()).every((name: string) => /^b\/\d+$/.test(name))).toBe(true);
    });

    it('refuses invalid input, naming the field', async () => {
      const { id } = await make({ name: `a/${'n'.repeat(900)}` });
      const cases: [object, string][] = [
        [{ to: 'b/' }, 'ids'],
        [{ ids: [], to: 'b/' }, 'ids'],
        [{ ids: [id], folder: 'a/', to: 'b/' }, 'folder'],
        [{ folder: '', to: 'b/' }, 'folder'],
        [{ folder: 'a', to: 'b/' }, 'folder'],
        [{ ids: [id], to: 'b' }, 'to'],
        [{ ids: [id], to: '../' }, 'to'],
        [{ ids: [id], to: 'b\n/' }, 'to'],
        [{ folder: 'a/', to: 'a/' }, 'to'],
        [{ folder: 'a/', to: 'a/b/' }, 'to'],
        [{ folder: 'a/', to: `${'b'.repeat(999)}/` }, 'to'],
      ];
      for (const [variables, field] of cases) {
        const refusal = await api.refusal(MOVE, variables as Record<string, unknown>);
        expect([variables, refusal.code, refusal.field]).toEqual([variables, 'BAD_USER_INPUT', field]);
      }
      expect((await names())[0]).toMatch(/^a\/n+$/);
    });
  });

  describe('deleteFiles', () => {
    it('deletes files of the tenant by ids, once, and returns how many', async () => {
      const made = [await make({ name: 'a' }, 'x'), await make({ name: 'b' }), await make({ name: 'c' }, 'y')];
      const other = await server.api('file-management');
      const foreign = (await other.ask('mutation{createFile{id}}')).createFile.id;
      const ids = [made[0].id, made[1].id, made[0].id, UNKNOWN, 'none', foreign];
      expect(await remove({ ids })).toBe(2);
      expect(await remove({ ids })).toBe(0);
      expect(await names()).toEqual(['c']);
      expect((await fetch(made[0].downloadUrl)).status).toBe(404);
      expect(await used()).toEqual({ fileCount: 1, fileSize: 1 });
      expect((await other.ask(`{file(ID:"${foreign}"){id}}`)).file.id).toBe(foreign);
    });

    it('deletes a folder with its subfolders, and nothing beside it', async () => {
      for (const name of ['a/b/1', 'a/b/c/2', 'a/b', 'a/bb/3', 'A/b/4', 'a/b%/5']) await make({ name }, 'x');
      const stranger = await server.api('file-management');
      await stranger.ask('mutation{createFile(input:{name:"a/b/1"}){id}}');
      expect(await remove({ folder: 'a/b/' })).toBe(2);
      expect(await names()).toEqual(['A/b/4', 'a/b', 'a/b%/5', 'a/bb/3']);
      expect(await remove({ folder: 'none/' })).toBe(0);
      expect((await stranger.ask('{storageUsed{fileCount}}')).storageUsed.fileCount).toBe(1);
    });

    it('deletes a folder whose prefix is longer than its index key', async () => {
      const [folder, beside] = [`${'f'.repeat(600)}/`, `${'f'.repeat(601)}/`];
      for (const name of [`${folder}a`, `${folder}b/c`, `${beside}a`]) await make({ name });
      expect(await remove({ folder })).toBe(2);
      expect(await names()).toEqual([`${beside}a`]);
    });

    it('deletes 1,000 files of a folder at once and the others in the background, except later ones', async () => {
      const batch = (count: number, from: number) =>
        `mutation{${Array.from({ length: count }, (_, n) => `f${n}:createFile(input:{name:"many/${from + n}"}){id}`).join(' ')}}`;
      for (let from = 0; from < 1_200; from += 100) await api.ask(batch(100, from));
      expect(await remove({ folder: 'many/' })).toBe(1_000);
      await make({ name: 'many/later' });
      await until(async () => (await names()).length === 1);
      expect(await names()).toEqual(['many/later']);
      const waiting = allRowsOf('no API shows what waits to be deleted', server).folderDeletion;
      await until(async () => (await waiting.count()) === 0);
    });

    it('sends an event for each file, as it was', async () => {
      const webhook = await PolledWebhook.create(api, 'FILE_DELETED');
      const made = [await make({ name: 'w/a', comment: 'x'.repeat(10) }, 'x'), await make({ name: 'w/b' })];
      expect(await remove({ folder: 'w/' })).toBe(2);
      const told = (await webhook.events()).map(({ data }) => data).sort((one, other) => (one.name < other.name ? -1 : 1));
      expect(told).toMatchObject([
        { id: made[0].id, comment: 'x'.repeat(10), contentLength: 1 },
        { id: made[1].id, uploaded: false },
      ]);
    });

    it.each([
      [{}, 'ids', /is required unless folder is set/],
      [{ ids: ['a'], folder: 'a/' }, 'folder', /cannot be combined with ids/],
      [{ ids: [] }, 'ids', /1 to 1000 ids/],
      [{ ids: Array.from({ length: 1_001 }, () => 'a') }, 'ids', /1 to 1000 ids/],
      [{ ids: [null] }, 'ids.0', /is required/],
      [{ ids: [''] }, 'ids.0', /must not be empty/],
      [{ folder: '' }, 'folder', /must name a folder/],
      [{ folder: 'a' }, 'folder', /end with a slash/],
      [{ folder: `${'x'.repeat(1_024)}/` }, 'folder', /at most 1024/],
      [{ folder: 'a\0/' }, 'folder', /NUL/],
    ])('%j is refused, and deletes nothing', async (variables, field, message) => {
      await make({ name: 'a' });
      const refusal = await api.refusal(DELETE, variables);
      expect(refusal).toMatchObject({ code: 'BAD_USER_INPUT', field, message: expect.stringMatching(message) });
      expect(await names()).toEqual(['a']);
    });
  });

  it('finds the files of a folder by the index of names', async () => {
    const database = allRowsOf('no API shows the plan of a statement', server);
    for (const folder of ['a/', `${'f'.repeat(600)}/`]) {
      for (const from of [undefined, 'a/b']) {
        const statement = filesBelow(dialect, { tenantId: 't', folder, until: new Date(), from, limit: 100 });
        const { text, plan } = await explained(database, statement);
        if (databaseKind === 'sqlite') expect(`${text}\n${plan}`).not.toMatch(/SCAN [a-z]\b|TEMP B-TREE/);
      }
    }
  });
}

describe('the limits of a tenant', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await TestServer.start({ TENANT_MAX_STORED_BYTES: '10', TENANT_MAX_FILES: '3' });
    api = await server.api('file-management');
  });
  afterAll(() => server.stop());

  it('count copies as other files, and deleted ones no longer', async () => {
    const { createFile } = await api.ask('mutation{createFile(input:{name:"a"}){id uploadUrl}}');
    expect((await fetch(createFile.uploadUrl, { method: 'PUT', body: Buffer.from('12345') })).status).toBe(200);
    const { copyFile } = await api.ask(COPY, { id: createFile.id, name: 'b' });
    const refused = { code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining('at most 10 bytes') };
    expect(await api.refusal(COPY, { id: createFile.id, name: 'c' })).toMatchObject(refused);
    expect((await api.ask(DELETE, { ids: [copyFile.id] })).deleteFiles).toBe(1);
    const { copyFile: again } = await api.ask(COPY, { id: createFile.id, name: 'c' });
    await api.ask('mutation{createFile{id}}');
    expect(await api.refusal(COPY, { id: createFile.id, name: 'd' })).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining('at most 3 files') }); // prettier-ignore
    expect(again.contentLength).toBe(5);
  });
});
