import type { Api } from './support/api.js';
import { TestServer } from './support/server.js';

const ALL = `id name active comment author{id name email profile} contentType contentLength status error{code message}
  createdAt updatedAt expiresAt externalReference uploaded public downloadUrl uploadUrl attributes{name value} checksumSha256`;
const CREATE = `mutation($input:CreateFileInput){createFile(input:$input){${ALL}}}`;
const UPDATE = `mutation($input:UpdateFileInput){updateFile(input:$input){${ALL}}}`;
const PAGE = `query($filter:FilesFilter,$nextToken:String,$limit:Int){files(filter:$filter,nextToken:$nextToken,limit:$limit){items{id name} nextToken}}`;
const UNKNOWN = '01a1fc71-ac8b-74ea-88bc-78167c5aaf33';

describe('files', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await TestServer.start();
    api = await server.api('file-management');
  });
  afterAll(() => server.stop());

  const create = async (input?: object, as = api) => (await as.ask(CREATE, { input })).createFile;
  const find = async (id: string) => (await api.ask(`{file(ID:"${id}"){${ALL}}}`)).file;

  it('are created with every given field', async () => {
    const before = Date.now();
    const input = {
      name: 'Report ü 2024.pdf',
      comment: 'first',
      author: { id: '7', name: 'Ann', email: 'ann@example.com', profile: 'admin' },
      externalReference: 'order-1',
      attributes: [{ name: 'b', value: '2' }, { name: 'a' }],
    };
    const file = await create({ ...input, expiresIn: 3600 });
    expect(file).toMatchObject({
      ...input, attributes: [{ name: 'b', value: '2' }, { name: 'a', value: null }],
      active: true, contentType: 'application/pdf', contentLength: null, status: 'uploading', error: null,
      uploaded: false, public: false, downloadUrl: null, checksumSha256: null, updatedAt: file.createdAt,
    }); // prettier-ignore
    expect(file.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(file.createdAt)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(file.expiresAt) - Date.parse(file.createdAt)).toBe(3_600_000);
    expect(file.uploadUrl).toMatch(
      new RegExp(`^${server.address}/file-management/files/${file.id}\\?expires=\\d+&signature=[\\w-]+$`),
    );
    const again = await find(file.id);
    expect({ ...again, uploadUrl: '' }).toEqual({ ...file, uploadUrl: '' });
  });

  it('can be created without any field', async () => {
    const expected = {
      name: null,
      contentType: 'application/octet-stream',
      expiresAt: null,
      attributes: [],
      author: null,
      public: false,
    };
    expect((await api.ask(`mutation{createFile{${ALL}}}`)).createFile).toMatchObject(expected);
    expect(await create({})).toMatchObject(expected);
  });

  it.each([
    [{ name: 'a.html' }, 'text/html'],
    [{ name: 'a.unknown' }, 'application/octet-stream'],
    [{ name: 'A.PDF', contentType: 'text/plain; charset=utf-8' }, 'text/plain; charset=utf-8'],
  ])('named %j have the type %s', async (input, contentType) => {
    expect((await create(input)).contentType).toBe(contentType);
  });

  it.each([
    [{ name: 'x'.repeat(10_000) }, 'input.name', /at most 1024 characters/],
    [{ name: 'a\0b' }, 'input.name', /NUL/],
    [{ name: '\ud800' }, 'input.name', /lone surrogate/],
    [{ name: '../../etc/passwd' }, 'input.name', /\.\. segment/],
    [{ name: '..\\boot.ini' }, 'input.name', /\.\. segment/],
    [{ name: 'a\r\nb' }, 'input.name', /control characters/],
    [{ comment: 'x'.repeat(4_097) }, 'input.comment', /at most 4096/],
    [{ contentType: 'pdf' }, 'input.contentType', /MIME type/],
    [{ contentType: 'text/html\r\nSet-Cookie: a=b' }, 'input.contentType', /MIME type/],
    [{ contentType: 'text/html\r\n; a=b' }, 'input.contentType', /MIME type/],
    [{ contentType: `text/plain; a="${'x'.repeat(300)}"` }, 'input.contentType', /at most 255/],
    [{ author: { email: 'x'.repeat(1_025) } }, 'input.author.email', /at most 1024/],
    [{ externalReference: '\0' }, 'input.externalReference', /NUL/],
    [{ public: null }, 'input.public', /true or false/],
    [{ expiresIn: 0 }, 'input.expiresIn', /from 1 to 2147483647/],
    [{ expiresIn: -5 }, 'input.expiresIn', /from 1 to 2147483647/],
    [{ checksumSha256: 'abc' }, 'input.checksumSha256', /64 hexadecimal digits/],
    [{ attributes: [{ name: 'a' }, { name: 'a' }] }, 'input.attributes.1.name', /unique/],
    [{ attributes: [{ name: '' }] }, 'input.attributes.0.name', /must not be empty/],
    [{ attributes: [{ name: 'a', value: 'x'.repeat(4_097) }] }, 'input.attributes.0.value', /at most 4096/],
    [{ attributes: [null] }, 'input.attributes.0', /must not be null/],
    [{ attributes: Array.from({ length: 101 }, (_, i) => ({ name: `${i}` })) }, 'input.attributes', /at most 100/],
  ])('are not created with %j', async (input, field, message) => {
    const before = (await api.ask(PAGE, { limit: 1 })).files.items;
    expect(await api.refusal(CREATE, { input })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field,
      message: expect.stringMatching(message),
    });
    expect((await api.ask(PAGE, { limit: 1 })).files.items).toEqual(before);
  });

  it('accept names in any script, and with SQL, template and shell syntax, literally', async () => {
    for (const name of [
      '\'; DROP TABLE "File"; --',
      '{{7*7}}',
      '$(reboot)',
      '日本語 🎉.txt',
      'a/b/c.txt',
      '%00',
      'x'.repeat(1024),
    ]) {
      const { id } = await create({ name });
      expect((await find(id)).name).toBe(name);
    }
  });

  it('retain fields that an update leaves out, clear those set to null, and replace the whole author', async () => {
    const { id, createdAt } = await create({
      name: 'a.txt', comment: 'c', author: { id: '1', name: 'n' }, externalReference: 'r', public: true, attributes: [{ name: 'k', value: 'v' }],
    }); // prettier-ignore
    const renamed = (await api.ask(UPDATE, { input: { id, name: 'b.txt' } })).updateFile;
    expect(renamed).toMatchObject({
      name: 'b.txt',
      comment: 'c',
      author: { id: '1', name: 'n' },
      externalReference: 'r',
      public: true,
    });
    expect(renamed.attributes).toEqual([{ name: 'k', value: 'v' }]);
    expect(renamed.createdAt).toBe(createdAt);
    expect(renamed.updatedAt >= createdAt).toBe(true);
    const input = { id, comment: null, externalReference: null, author: { email: 'e' }, attributes: [], public: false };
    expect((await api.ask(UPDATE, { input })).updateFile).toMatchObject({
      name: 'b.txt', comment: null, externalReference: null, public: false, attributes: [], author: { id: null, name: null, email: 'e', profile: null },
    }); // prettier-ignore
    expect((await api.ask(UPDATE, { input: { id, author: null, name: null } })).updateFile).toMatchObject({
      name: null,
      author: null,
    });
  });

  it('derive their type from the name when it is set to null', async () => {
    const { id } = await create({ name: 'a.txt', contentType: 'image/png' });
    expect((await api.ask(UPDATE, { input: { id, contentType: null } })).updateFile.contentType).toBe('text/plain');
    expect((await api.ask(UPDATE, { input: { id, name: 'a.css', contentType: null } })).updateFile.contentType).toBe('text/css');
  });

  it('cannot change their type once they have content, and can change everything else', async () => {
    const { id, uploadUrl } = await create({ name: 'a.txt' });
    await fetch(uploadUrl, { method: 'PUT', body: Buffer.from('x') });
    expect(await api.refusal(UPDATE, { input: { id, name: 'b.png', contentType: 'image/png' } })).toMatchObject({
      code: 'FAILED_PRECONDITION', field: 'input.contentType',
    }); // prettier-ignore
    expect(await find(id)).toMatchObject({ name: 'a.txt', contentType: 'text/plain', status: 'done' });
    expect((await api.ask(UPDATE, { input: { id, name: 'b.png', contentType: 'text/plain' } })).updateFile.name).toBe('b.png');
  });

  it.each([
    ['no id', {}, 'BAD_USER_INPUT', 'input.id'],
    ['an unknown id', { id: UNKNOWN }, 'NOT_FOUND', undefined],
    ['an id that is none', { id: "' OR 1=1" }, 'NOT_FOUND', undefined],
    ['an id with NUL', { id: '\0' }, 'BAD_USER_INPUT', 'input.id'],
  ])('are not updated with %s', async (_, input, code, field) => {
    expect(await api.refusal(UPDATE, { input: { ...input, name: 'x' } })).toMatchObject({ code, ...(field && { field }) });
  });

  it('refuse null for public, which is required', async () => {
    const { id } = await create({ public: true });
    expect(await api.refusal(UPDATE, { input: { id, public: null } })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'input.public',
    });
    expect((await find(id)).public).toBe(true);
  });

  it('are deleted once, with their content, and returned unchanged', async () => {
    const { id, uploadUrl } = await create({ name: 'gone.txt', public: true });
    await fetch(uploadUrl, { method: 'PUT', body: Buffer.from('bytes') });
    const { downloadUrl } = await find(id);
    const { deleteFile } = await api.ask(`mutation{deleteFile(id:"${id}"){id name status contentLength}}`);
    expect(deleteFile).toEqual({ id, name: 'gone.txt', status: 'done', contentLength: 5 });
    expect((await fetch(downloadUrl)).status).toBe(404);
    expect(await find(id)).toBeNull();
    expect((await api.refusal(`mutation{deleteFile(id:"${id}"){id}}`)).code).toBe('NOT_FOUND');
    expect(await api.refusal('mutation{deleteFile{id}}')).toMatchObject({ code: 'BAD_USER_INPUT', field: 'id' });
  });

  it('of another tenant cannot be found, listed, changed, deleted or replaced', async () => {
    const { id } = await create({ name: 'mine' });
    const foreign = await server.api('file-management');
    expect((await foreign.ask(`{file(ID:"${id}"){id}}`)).file).toBeNull();
    expect((await foreign.ask(PAGE, { filter: { ids: [id] } })).files.items).toEqual([]);
    expect((await foreign.refusal(UPDATE, { input: { id, name: 'theirs' } })).code).toBe('NOT_FOUND');
    expect((await foreign.refusal(`mutation{deleteFile(id:"${id}"){id}}`)).code).toBe('NOT_FOUND');
    expect((await find(id)).name).toBe('mine');
  });

  it('with an unknown id are null, without an error', async () => {
    for (const id of [UNKNOWN, 'nonsense', '', '../../etc/passwd'])
      expect((await api.ask('query($id:ID!){file(ID:$id){id}}', { id })).file).toBeNull();
    expect(await api.refusal('query($id:ID!){file(ID:$id){id}}', { id: 'a\0' })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'ID',
    });
  });

  it.each([0, -1, 604_801, 2 ** 31 - 1])('refuse URLs that are valid for %d seconds', async (expiresIn) => {
    const { id } = await create();
    for (const name of ['downloadUrl', 'uploadUrl']) {
      const query = `query($n:Int){file(ID:"${id}"){${name}(expiresIn:$n)}}`;
      expect(await api.refusal(query, { n: expiresIn })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'expiresIn' });
    }
  });
});

describe('pages of files', () => {
  let server: TestServer;
  let api: Api;
  let ids: string[];
  beforeAll(async () => {
    server = await TestServer.start();
    api = await server.api('file-management');
    const created = await api.ask(
      `mutation{${Array.from({ length: 25 }, (_, i) => `f${i}:createFile(input:{name:"${i}"}){id}`).join(' ')}}`,
    );
    ids = Array.from({ length: 25 }, (_, i) => created[`f${i}`].id as string).reverse();
  });
  afterAll(() => server.stop());

  const page = async (variables: object) => (await api.ask(PAGE, variables as Record<string, unknown>)).files;

  it('are listed newest first, each once, while others are created and deleted', async () => {
    const seen: string[] = [];
    let nextToken: string | null = null;
    do {
      const { items, nextToken: next }: { items: { id: string }[]; nextToken: string | null } = await page({
        limit: 4,
        nextToken,
      });
      seen.push(...items.map(({ id }) => id));
      const { createFile } = await api.ask('mutation{createFile{id}}');
      await api.ask(`mutation{deleteFile(id:"${createFile.id}"){id}}`);
      nextToken = next;
    } while (nextToken);
    expect(seen).toEqual(ids);
  });

  it('contain 100 unless a limit from 1 to 1000 is given', async () => {
    expect((await page({ limit: 25 })).nextToken).toBeNull();
    expect((await page({ limit: 24 })).nextToken).toEqual(expect.any(String));
    expect((await page({})).items).toHaveLength(25);
    for (const limit of [0, -1, 1001])
      expect(await api.refusal(PAGE, { limit })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'limit' });
  });

  it('filter by id and by ids; id wins, an empty list matches nothing', async () => {
    const [a, b, c] = ids as [string, string, string];
    const names = async (filter: object) => (await page({ filter })).items.map(({ id }: { id: string }) => id);
    expect(await names({ id: b })).toEqual([b]);
    expect(await names({ ids: [c, a, null, UNKNOWN, 'nonsense'] })).toEqual([a, c]);
    expect(await names({ id: b, ids: [a] })).toEqual([b]);
    expect(await names({ ids: [] })).toEqual([]);
    expect(await names({ active: false })).toEqual(ids);
    expect(await names({ id: '' })).toEqual([]);
    expect(await names({ ids: [...Array(999).fill(UNKNOWN), a] })).toEqual([a]);
    expect(await api.refusal(PAGE, { filter: { ids: Array(1001).fill('x') } })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'filter.ids',
    });
  });

  it('refuse a token that is damaged, of another tenant or of another filter', async () => {
    const { nextToken } = await page({ limit: 2 });
    const foreign = await server.api('file-management');
    const expected = { code: 'BAD_USER_INPUT', field: 'nextToken' };
    expect(await foreign.refusal(PAGE, { nextToken, limit: 2 })).toMatchObject(expected);
    expect(await api.refusal(PAGE, { nextToken, filter: { ids: ids.slice(0, 3) } })).toMatchObject(expected);
    for (const token of [
      '',
      'x',
      `${nextToken}x`,
      nextToken.slice(1),
      `${nextToken}.x`,
      Buffer.from('zzz').toString('base64url'),
    ]) {
      expect(await api.refusal(PAGE, { nextToken: token })).toMatchObject(expected);
    }
    expect((await page({ nextToken, limit: 2, filter: {} })).items.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2, 4));
  });
});
