// Past the API: statements whose plans are examined.
import { filesList } from '../src/modules/file-management/files/files-page.queries.js';
import { folderKeysStatement } from '../src/modules/file-management/files/file-folders.queries.js';
import { rowsStatement } from '../src/common/database/sql/index-walks.js';
import type { Api } from './support/api.js';
import { allRowsOf } from './support/behind-the-api.js';
import { dialect, explained } from './support/plans.js';
import { TestServer } from './support/server.js';

const FOLDERS = `query($prefix:String,$limit:Int,$nextToken:String){
  fileFolders(prefix:$prefix,limit:$limit,nextToken:$nextToken){items{name prefix} nextToken}}`;
const FILES = `query($filter:FilesFilter,$limit:Int,$nextToken:String){
  files(filter:$filter,limit:$limit,nextToken:$nextToken){items{id name} nextToken}}`;
const UPDATE = 'mutation($input:UpdateFileInput!){updateFile(input:$input){id}}';

/** Names with everything that is special in SQL, JSON, patterns and other scripts. */
const HOSTILE = [
  '%/',
  '_/',
  "'/",
  '"/',
  '\\/',
  '*?[/',
  '[#-1]/',
  '$/',
  ' /',
  '日本/',
  '😀/',
  '\u{10ffff}/',
  'é/',
  'e\u0301/',
  '0/',
  '/',
];

let server: TestServer;
let api: Api;
beforeAll(async () => {
  server = await TestServer.start();
});
beforeEach(async () => {
  api = await server.api('file-management');
});
afterAll(() => server.stop());

/** Creates files with these names, in order, and returns their ids. */
async function create(names: (string | undefined)[], as = api): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < names.length; from += 50) {
    const some = names.slice(from, from + 50);
    const fields = some.map((_, index) => `f${index}:createFile(input:{name:$n${index}}){id}`);
    const variables = Object.fromEntries(some.map((name, index) => [`n${index}`, name]));
    const made = await as.ask(`mutation(${some.map((_, index) => `$n${index}:String`).join()}){${fields.join(' ')}}`, variables);
    ids.push(...some.map((_, index) => made[`f${index}`].id));
  }
  return ids;
}

const folders = async (prefix?: string, as = api): Promise<{ name: string; prefix: string }[]> =>
  (await as.ask(FOLDERS, { prefix })).fileFolders.items;
const prefixes = async (prefix?: string, as = api) => (await folders(prefix, as)).map((folder) => folder.prefix);
const inFolder = async (folder: string, filter: object = {}) =>
  (await api.ask(FILES, { filter: { folder, ...filter } })).files.items.map(({ name }: { name: string }) => name);

const byCodePoints = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
/** Returns the folders below a prefix, by definition. */
const expectedBelow = (names: string[], prefix: string) => [
  ...new Set(
    names
      .filter((name) => name.startsWith(prefix) && name.includes('/', prefix.length))
      .map((name) => name.slice(0, name.indexOf('/', prefix.length) + 1)),
  ),
].sort(byCodePoints); // prettier-ignore
const expectedIn = (names: string[], folder: string) =>
  names.filter((name) => name.startsWith(folder) && !name.includes('/', folder.length)).reverse();

describe('folders', () => {
  it('are those directly below a prefix, each once, with their last segment as the name', async () => {
    await create(['a/x.txt', 'a/b/y.txt', 'a/b/z.txt', 'a/b/c/d/e.txt', 'c.txt', undefined, '']);
    expect(await folders()).toEqual([{ name: 'a/', prefix: 'a/' }]);
    expect(await folders('a/')).toEqual([{ name: 'b/', prefix: 'a/b/' }]);
    expect(await folders('a/b/')).toEqual([{ name: 'c/', prefix: 'a/b/c/' }]);
    expect(await folders('a/b/c/')).toEqual([{ name: 'd/', prefix: 'a/b/c/d/' }]);
    for (const none of ['a/b/c/d/', 'A/', 'c.txt', 'a/x.txt/', '/']) expect(await folders(none)).toEqual([]);
  });

  it('can be below a prefix that ends within their name', async () => {
    await create(['photos/1', 'phones/1', 'photos/2026/1', 'ph', 'music/1', 'ph/1']);
    expect(await prefixes('ph')).toEqual(['ph/', 'phones/', 'photos/']);
    expect(await folders('photos/2')).toEqual([{ name: '2026/', prefix: 'photos/2026/' }]);
  });

  it('are sorted by code points, whatever surrounds the slash', async () => {
    const names = [
      'b!/1',
      'b/1',
      'b.c/1',
      'b0/1',
      'b-/1',
      'b~/1',
      'ba/1',
      'B/1',
      'b/0/1',
      'b',
      'b0',
      'ß/1',
      'z/1',
      '\uffff/1',
      '😀/1',
    ];
    await create(names);
    expect(await prefixes()).toEqual(expectedBelow(names, ''));
    expect(await prefixes('b')).toEqual(expectedBelow(names, 'b'));
  });

  it('treat every character literally, including empty segments between slashes', async () => {
    const parts = HOSTILE.flatMap((one) => [one, `a${one}`, `${one}${one}`]);
    const names = parts.flatMap((part) => [`${part}x`, `${part}y/z`, `${part}//w`]);
    await create(names);
    for (const prefix of ['', 'a', '/', '//', ...HOSTILE, ...HOSTILE.map((one) => `${one}/`)]) {
      expect([prefix, await prefixes(prefix)]).toEqual([prefix, expectedBelow(names, prefix)]);
    }
    for (const folder of ['', ...parts, ...parts.map((one) => `${one}/`)]) {
      expect([folder, await inFolder(folder)]).toEqual([folder, expectedIn(names, folder)]);
    }
    expect(await folders('//')).toContainEqual({ name: '/', prefix: '///' });
  });

  it('are listed once each with any page size, while folders appear and disappear', async () => {
    const names = Array.from({ length: 25 }, (_, i) => [
      `f${String(i).padStart(2, '0')}/a`,
      `f${String(i).padStart(2, '0')}/b`,
      `g${i}`,
    ]).flat();
    const ids = await create(names);
    for (const limit of [1, 7, 25, 26]) {
      const found: string[] = [];
      for (let nextToken: string | null = null, pages = 0; pages === 0 || nextToken; pages++) {
        const page: any = (await api.ask(FOLDERS, { limit, nextToken })).fileFolders;
        expect(page.items.length).toBeLessThanOrEqual(limit);
        found.push(...page.items.map((folder: { prefix: string }) => folder.prefix));
        nextToken = page.nextToken;
      }
      expect(found).toEqual(expectedBelow(names, ''));
    }
    const { nextToken } = (await api.ask(FOLDERS, { limit: 10 })).fileFolders;
    for (const id of ids.slice(27, 36)) await api.ask(`mutation{deleteFile(id:"${id}"){id}}`); // f09/ to f11/
    await create(['f08x/1', 'f12x/1']);
    const { items } = (await api.ask(FOLDERS, { nextToken, limit: 3 })).fileFolders;
    expect(items.map(({ prefix }: { prefix: string }) => prefix)).toEqual(['f12/', 'f12x/', 'f13/']);
  });

  it('follow a file that is renamed or deleted', async () => {
    const [id] = await create(['old/a']);
    await api.ask(UPDATE, { input: { id, name: 'new/a' } });
    expect(await prefixes()).toEqual(['new/']);
    await api.ask(UPDATE, { input: { id, name: null } });
    expect(await prefixes()).toEqual([]);
    await api.ask(UPDATE, { input: { id, name: 'last/a' } });
    await api.ask(`mutation{deleteFile(id:"${id}"){id}}`);
    expect(await prefixes()).toEqual([]);
  });

  it('are limited to their tenant, like their files', async () => {
    const other = await server.api('file-management');
    await create(['shared/1', 'own/1']);
    await create(['shared/2', 'others/1'], other);
    expect(await prefixes()).toEqual(['own/', 'shared/']);
    expect(await prefixes('', other)).toEqual(['others/', 'shared/']);
    expect(await inFolder('shared/')).toEqual(['shared/1']);
    const { nextToken } = (await other.ask(FOLDERS, { limit: 1 })).fileFolders;
    expect(await api.refusal(FOLDERS, { nextToken })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'nextToken' });
  });

  it('of up to 500 characters are listed, longer ones left out, and files are found in both', async () => {
    const random = (length: number) =>
      String.fromCharCode(...Array.from({ length }, () => 0x4e00 + Math.floor(Math.random() * 20_000)));
    const whole = `p/${'😀'.repeat(497)}/`;
    const [cut, long] = [`p/${'z'.repeat(498)}/`, `p/${random(1_000)}/`];
    const names = [
      `${whole}a`,
      `${cut}a`,
      `${cut}b/c`,
      `${long}a`,
      `${random(1_023)}/`,
      'p/zz/a',
      '/'.repeat(1_024),
      `q${'/'.repeat(1_000)}x`,
    ];
    await create(names);
    const found: string[] = [];
    for (let nextToken: string | null = null, pages = 0; pages === 0 || nextToken; pages++) {
      const page: any = (await api.ask(FOLDERS, { prefix: 'p/', limit: 1, nextToken })).fileFolders;
      found.push(...page.items.map((folder: { prefix: string }) => folder.prefix));
      nextToken = page.nextToken;
    }
    expect(found).toEqual(['p/zz/', whole]);
    expect(await prefixes('/'.repeat(499))).toEqual(['/'.repeat(500)]);
    for (const prefix of [cut, '/'.repeat(500), 'z'.repeat(1_024), long]) expect(await prefixes(prefix)).toEqual([]);
    for (const folder of [
      whole,
      cut,
      `${cut}b/`,
      long,
      '/'.repeat(1_024),
      '/'.repeat(600),
      `q${'/'.repeat(500)}`,
      `q${'/'.repeat(1_000)}`,
      'p/',
      '',
    ]) {
      expect([folder, await inFolder(folder)]).toEqual([folder, expectedIn(names, folder)]);
    }
  });

  it.each([
    [{ limit: 0 }, 'limit', 'limit: must be from 1 to 1000'],
    [{ limit: 1_001 }, 'limit', 'limit: must be from 1 to 1000'],
    [{ prefix: 'x'.repeat(1_025) }, 'prefix', 'prefix: must have at most 1024 characters (UTF-16 units), has 1025'],
    [{ prefix: 'a\0' }, 'prefix', 'prefix: must not contain the NUL character'],
    [{ prefix: '\ud800' }, 'prefix', 'prefix: must be well-formed Unicode; it has a lone surrogate'],
    [{ nextToken: 'x' }, 'nextToken', 'nextToken: must be the nextToken of the previous page, with the same filter and key'],
  ])('are refused for %j, naming the field', async (variables, field, message) => {
    expect(await api.refusal(FOLDERS, variables)).toMatchObject({ code: 'BAD_USER_INPUT', field, message });
  });

  it('refuse the token of another prefix', async () => {
    await create(['a/b/1', 'a/c/1']);
    const { nextToken } = (await api.ask(FOLDERS, { prefix: 'a/', limit: 1 })).fileFolders;
    expect((await api.refusal(FOLDERS, { prefix: '', nextToken })).field).toBe('nextToken');
  });

  it('require their scope entry', async () => {
    const narrow = await server.api('file-management', await server.createKey('file-management-api:query:files'));
    expect((await narrow.refusal(FOLDERS)).code).toBe('FORBIDDEN');
    const exact = await server.api('file-management', await server.createKey('file-management-api:query:fileFolders'));
    expect(await folders('', exact)).toEqual([]);
  });
});

describe('files of a folder', () => {
  it('are those directly in it, newest first, and combine with every other filter', async () => {
    const ids = await create(['a/1', 'a/b/2', '3', 'a/4', 'a/', 'a', 'ab/5', undefined]);
    await api.ask(UPDATE, { input: { id: ids[7], name: 'a/6' } });
    expect(await inFolder('a/')).toEqual(['a/6', 'a/', 'a/4', 'a/1']);
    expect(await inFolder('')).toEqual(['a', '3']);
    expect(await inFolder('a/', { namePrefix: 'a/4' })).toEqual(['a/4']);
    expect(await inFolder('a/', { namePrefix: 'a/b' })).toEqual([]);
    expect(await inFolder('a/', { ids: [ids[0], ids[1], ids[2]] })).toEqual(['a/1']);
    expect(await inFolder('a/', { id: ids[3] })).toEqual(['a/4']);
    expect(await inFolder('a/', { status: 'uploading' })).toEqual(['a/6', 'a/', 'a/4', 'a/1']);
    expect(await inFolder('a/', { status: 'done' })).toEqual([]);
    expect(await inFolder('a/', { status: 'expired' })).toEqual([]);
    expect(await inFolder('a/', { createdAt: { from: '2999-01-01' } })).toEqual([]);
    expect((await api.ask(FILES, { filter: { folder: null } })).files.items).toHaveLength(8);
  });

  it('are listed in pages, each once, with a token bound to the folder', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `${i % 3 === 0 ? 'a/' : 'b/'}${i}`);
    await create(names);
    const found: string[] = [];
    for (let nextToken: string | null = null, pages = 0; pages === 0 || nextToken; pages++) {
      const page: any = (await api.ask(FILES, { filter: { folder: 'a/' }, limit: 4, nextToken })).files;
      found.push(...page.items.map(({ name }: { name: string }) => name));
      nextToken = page.nextToken;
      if (nextToken) expect((await api.refusal(FILES, { filter: { folder: 'b/' }, nextToken })).field).toBe('nextToken');
    }
    expect(found).toEqual(expectedIn(names, 'a/'));
  });

  it.each(['a', '/a', 'x'.repeat(1_025), 'a\0/'])('are refused for the folder %j, naming the field', async (folder) => {
    expect(await api.refusal(FILES, { filter: { folder } })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'filter.folder' });
  });
});

describe('an index', () => {
  it('serves folders and the files of one folder; listing folders reads no file of a folder', async () => {
    const tenantId = 'many';
    const database = allRowsOf('no API shows the plan of a statement', server);
    await create(Array.from({ length: 300 }, (_, i) => `f${i % 3}/${i}`));
    if (dialect.pick({ sqlite: false, postgresql: true })) await database.$executeRawUnsafe('ANALYZE "File"');
    const files = filesList(dialect, { tenantId, folder: 'f1/', after: undefined });
    const statements = [
      folderKeysStatement(dialect, { tenantId, prefix: '', after: undefined, limit: 101 }),
      folderKeysStatement(dialect, { tenantId, prefix: 'a/', after: 'a/b/', limit: 101 }),
      rowsStatement(files, files.parts[0]![0], {}, 101, 'rows'),
    ];
    for (const statement of statements) {
      const { plan } = await explained(database, statement);
      expect(plan).toContain('File_tenantId_folder_id_idx');
      expect(plan).not.toMatch(/Seq Scan|SCAN f\b|SCAN File|TEMP B-TREE|Sort/);
    }
  });
});
