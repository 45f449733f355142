import { randomUUID } from 'node:crypto';
import { STEP_ENTRIES } from '../src/common/database/sql/index-walks.js';
import type { Api } from './support/api.js';
import { Email, someone } from './support/email.js';

const FILES =
  'query($filter:FilesFilter,$nextToken:String,$limit:Int){files(filter:$filter,nextToken:$nextToken,limit:$limit){items{id name} nextToken}}';
const TENANTS =
  'query($contains:String,$nextToken:String,$limit:Int){tenants(contains:$contains,nextToken:$nextToken,limit:$limit){items{id name} nextToken}}';

interface Page {
  items: any[];
  nextToken: string | null;
}

/** Reads a list to its end. */
async function all(page: (nextToken: string | null) => Promise<Page>): Promise<any[]> {
  const items: any[] = [];
  for (let nextToken: string | null = null; ;) {
    const read = await page(nextToken);
    items.push(...read.items);
    if (read.nextToken === null) return items;
    ({ nextToken } = read);
  }
}

let email: Email;
let files: Api;
let admin: Api;
beforeAll(async () => {
  email = await Email.start();
  admin = await email.server.api('admin');
});
beforeEach(async () => {
  files = await email.server.api('file-management');
});
afterAll(() => email.stop());

async function create(names: string[], api = files): Promise<void> {
  for (let from = 0; from < names.length; from += 50) {
    const fields = names.slice(from, from + 50).map((name, at) => `f${at}:createFile(input:{name:${JSON.stringify(name)}}){id}`);
    await api.ask(`mutation{${fields.join(' ')}}`);
  }
}
const namesWith = async (contains: string, further: object = {}, limit?: number): Promise<string[]> =>
  (await all(async (nextToken) => (await files.ask(FILES, { filter: { contains, ...further }, nextToken, limit })).files)).map(
    ({ name }) => name,
  );

describe('files by a substring of their names', () => {
  it('are found in any letter case, including non-ASCII letters, identically on both databases', async () => {
    const pairs = [
      ['Invoice-4711.PDF', 'VOICE-4711.pdf'],
      ['Müller & Söhne', 'MÜLLER'],
      ['ÜBERSICHT.txt', 'übersicht'],
      ['ΟΔΌΣ', 'οδός'],
      ['οδός', 'ΟΔΌΣ'],
      ['straße', 'STRAẞE'],
      ['Ещё раз', 'ЕЩЁ РАЗ'],
      ['日本語の書類', '本語の'],
      ['𐐀𐐁𐐂 deseret', '𐐨𐐩𐐪'],
      ['5 µm.txt', '5 μM'],
      ['İstanbul', 'İSTANBUL'],
    ] as const;
    await create([...pairs.map(([name]) => name), 'Muller', 'invoice 4711']);
    for (const [name, text] of pairs) {
      expect(await namesWith(text)).toContain(name);
      expect(await namesWith(name.slice(0, 100))).toContain(name);
    }
    expect(await namesWith('müller')).toEqual(['Müller & Söhne']);
    expect(await namesWith('voice-4711')).toEqual(['Invoice-4711.PDF']);
  });

  it('are found by characters that are special in patterns, SQL and JSON', async () => {
    const hostile = ['100%_a', '100 _b', '100%xb', "it's;--", 'a\\b\\c', '[a-z]*?', '$1 $2', '"q" {}', 'null', ' 3 blanks '];
    await create(hostile);
    for (const name of hostile) expect(await namesWith(name)).toEqual([name]);
    expect(await namesWith('%_a')).toEqual(['100%_a']);
    expect(await namesWith('___')).toEqual([]);
    expect(await namesWith('%%%')).toEqual([]);
  });

  it('combine with every other filter, without those of another tenant', async () => {
    await create(['a/Report-1', 'a/b/Report-2', 'Report-3', 'other']);
    await create(['a/Report-9'], await email.server.api('file-management'));
    expect(await namesWith('REPORT')).toEqual(['Report-3', 'a/b/Report-2', 'a/Report-1']);
    expect(await namesWith('REPORT', { folder: 'a/' })).toEqual(['a/Report-1']);
    expect(await namesWith('REPORT', { namePrefix: 'a/' })).toEqual(['a/b/Report-2', 'a/Report-1']);
    expect(await namesWith('REPORT', { status: 'done' })).toEqual([]);
    expect(await namesWith('REPORT', { createdAt: { to: '2020-01-01T00:00:00Z' } })).toEqual([]);
  });

  it('are listed once each with any page size, while files are added and deleted', async () => {
    const total = STEP_ENTRIES + 100;
    await create(Array.from({ length: total }, (_, index) => `${index % 500 === 3 ? 'Rare' : 'often'}-${index}`));
    const rare = ['Rare-2003', 'Rare-1503', 'Rare-1003', 'Rare-503', 'Rare-3'];
    for (const limit of [1, 2, 1_000]) {
      const names: string[] = [];
      for (let nextToken: string | null = null; ;) {
        const { items, nextToken: next }: Page = (await files.ask(FILES, { filter: { contains: 'RARE' }, nextToken, limit }))
          .files;
        names.push(...items.map(({ name }) => name));
        if (next === null) break;
        nextToken = next;
        const { createFile } = await files.ask('mutation{createFile(input:{name:"a rare one that came later"}){id}}');
        await files.ask('mutation($id:String){deleteFile(id:$id){id}}', { id: createFile.id });
      }
      expect(names).toEqual(rare);
    }
    expect(await namesWith('often')).toHaveLength(total - rare.length);
  });

  it.each([
    ['ab', 'filter.contains: must have at least 3 characters'],
    ['', 'filter.contains: must have at least 3 characters'],
    ['x'.repeat(101), 'filter.contains: must have at most 100 characters (UTF-16 units), has 101'],
    ['a\0bc', 'filter.contains: must not contain the NUL character'],
  ])('are refused for %j, with the correct form', async (contains, message) => {
    expect(await files.refusal(FILES, { filter: { contains } })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'filter.contains',
      message,
    });
  });

  it('have a nextToken that another substring refuses', async () => {
    await create(['abc 1', 'abc 2']);
    const { nextToken } = (await files.ask(FILES, { filter: { contains: 'abc' }, limit: 1 })).files;
    expect(await files.refusal(FILES, { filter: { contains: 'abcd' }, nextToken })).toMatchObject({ field: 'nextToken' });
  });

  it('are found by a text of 100 different letters', async () => {
    const letters = String.fromCodePoint(
      ...Array.from({ length: 100 }, (_, at) => 0x410 + (at % 32) + (at >= 32 ? 0x70 + at : 0)),
    );
    await create([letters]);
    expect(await namesWith(letters.toUpperCase())).toEqual([letters]);
  });
});

describe('mails by a substring of their subject or of an address', () => {
  const idsWith = async (service: Email, contains: string, further: object = {}): Promise<string[]> =>
    (await all((nextToken) => service.page({ contains, ...further }, nextToken, 2))).map(({ id }) => id);

  it('are found once each, whichever recipients match, without those of another tenant', async () => {
    const service = await email.another();
    const [to, cc, bcc] = [someone(), someone(), someone()];
    const one = await service.send({
      subject: 'Your Übersicht of MAY',
      to: [{ address: to }, { address: 'Ann.Bird@Example.org' }],
    });
    const two = await service.send({
      subject: 'ann.bird wrote',
      to: { address: to },
      cc: { address: cc },
      bcc: { address: bcc },
    });
    const three = await service.send({ subject: '100%', to: { address: 'x_y%z@example.com' } });
    await (await email.another()).send({ subject: 'ann.bird', to: { address: to } });

    expect(await idsWith(service, 'übersicht OF may')).toEqual([one]);
    expect(await idsWith(service, 'ANN.BIRD')).toEqual([two, one]);
    expect(await idsWith(service, cc.toUpperCase())).toEqual([two]);
    expect(await idsWith(service, bcc)).toEqual([two]);
    expect(await idsWith(service, 'y%z')).toEqual([three]);
    expect(await idsWith(service, 'y_z')).toEqual([]);
    expect(await idsWith(service, 'ann.bird', { to })).toEqual([two, one]);
    expect(await idsWith(service, 'ann.bird', { to: 'nobody@example.com' })).toEqual([]);
    await Promise.all([one, two, three].map(service.finished));
    expect(await idsWith(service, 'ann.bird', { status: 'SENT' })).toEqual([two, one]);
    expect(await idsWith(service, 'ann.bird', { status: 'FAILED' })).toEqual([]);
  });

  it('are refused for two characters', async () => {
    const page = 'query($f:EmailMessagesFilter){messages(filter:$f){nextToken}}';
    expect(await email.api.refusal(page, { f: { contains: 'ab' } })).toMatchObject({ field: 'filter.contains' });
  });
});

describe('tenants by a substring of their names', () => {
  it('are found in the order of their creation, once each, in pages of any size', async () => {
    const mark = randomUUID();
    const names = [`Öl ${mark} One`, `öl ${mark} two`, `Gas ${mark}`];
    for (const name of names) await admin.ask('mutation($name:String!){createTenant(input:{name:$name}){id}}', { name });
    const found = async (contains: string, limit?: number) =>
      (await all(async (nextToken) => (await admin.ask(TENANTS, { contains, nextToken, limit })).tenants)).map(
        ({ name }) => name,
      );

    for (const limit of [1, 2, 100]) expect(await found(mark.toUpperCase(), limit)).toEqual(names);
    expect(await found(`ÖL ${mark}`)).toEqual(names.slice(0, 2));
    expect(await found(`${mark}%`)).toEqual([]);
    expect(await found('no tenant has this')).toEqual([]);
    // The tenant of the admin keys is never listed.
    expect((await all(async (nextToken) => (await admin.ask(TENANTS, { contains: 'adm', nextToken })).tenants)).length).toBe(0);
    expect(await admin.refusal(TENANTS, { contains: 'ab' })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'contains',
      message: 'contains: must have at least 3 characters',
    });
  });
});
