import { STEP_ENTRIES } from '../src/common/database/sql/index-walks.js';
import type { Api } from './support/api.js';
import { Email, someone } from './support/email.js';

const FILES = `query($filter:FilesFilter,$order:FilesOrder,$nextToken:String,$limit:Int){
  files(filter:$filter,order:$order,nextToken:$nextToken,limit:$limit){items{id name} nextToken}}`;
const MAILS = `query($filter:EmailMessagesFilter,$order:EmailMessagesOrder,$nextToken:String,$limit:Int){
  messages(filter:$filter,order:$order,nextToken:$nextToken,limit:$limit){items{id subject} nextToken}}`;

/** Page sizes of short lists. Pages of 2 end inside of equal keys as well as between them. */
const PAGE_SIZES = process.env.TEST_LONG === '1' ? [1, 2, 3, 100] : [2, 100];

interface Page {
  items: any[];
  nextToken: string | null;
}

/** Reads a list to its end, and does something after each page. */
async function all(page: (nextToken: string | null) => Promise<Page>, between: () => Promise<unknown> = async () => {}) {
  const items: any[] = [];
  for (let nextToken: string | null = null; ;) {
    const read = await page(nextToken);
    items.push(...read.items);
    if (read.nextToken === null) return items;
    ({ nextToken } = read);
    await between();
  }
}

let email: Email;
beforeAll(async () => {
  email = await Email.start();
});
afterAll(() => email.stop());

describe('files, oldest first', () => {
  let api: Api;
  const names: string[] = [];
  beforeAll(async () => {
    api = await email.server.api('file-management');
    for (let from = 0; from < STEP_ENTRIES + 100; from += 50) {
      const some = Array.from({ length: 50 }, (_, at) => `${(from + at) % 700 === 5 ? 'a/rare' : 'b/many'}-${from + at}`);
      names.push(...some);
      await api.ask(`mutation{${some.map((name, at) => `f${at}:createFile(input:{name:"${name}"}){id}`).join(' ')}}`);
    }
  });
  const listed = async (filter: object, limit?: number, between?: () => Promise<unknown>): Promise<string[]> =>
    (await all(async (nextToken) => (await api.ask(FILES, { filter, order: 'OLDEST', nextToken, limit })).files, between)).map(
      ({ name }) => name,
    );

  it('are listed once each in the order of their creation, with every filter, while files come and go', async () => {
    const rare = names.filter((name) => name.startsWith('a/'));
    expect(await listed({}, 1_000)).toEqual(names);
    for (const filter of [{ contains: 'RARE' }, { folder: 'a/' }, { namePrefix: 'a/r' }, { folder: 'a/', status: 'uploading' }])
      for (const limit of [1, 1_000]) expect(await listed(filter, limit)).toEqual(rare);
    const coming = async () => {
      const { createFile } = await api.ask('mutation{createFile(input:{name:"c/later"}){id}}');
      await api.ask('mutation($id:String){deleteFile(id:$id){id}}', { id: createFile.id });
    };
    expect(await listed({ namePrefix: 'b/many' }, 900, coming)).toEqual(names.filter((name) => name.startsWith('b/')));
    expect(await listed({ createdAt: { to: '2020-01-01T00:00:00Z' } })).toEqual([]);
  });

  it('have a nextToken that the other order refuses', async () => {
    const { nextToken } = (await api.ask(FILES, { order: 'OLDEST', limit: 1 })).files;
    expect(await api.refusal(FILES, { order: 'NEWEST', nextToken })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'nextToken',
    });
    expect(await api.refusal(FILES, { nextToken })).toMatchObject({ field: 'nextToken' });
    const newest = (await api.ask(FILES, { limit: 1 })).files;
    expect(newest.items[0].name).toBe(names.at(-1));
    await api.ask(FILES, { order: 'NEWEST', nextToken: newest.nextToken });
  });
});

describe('mails, oldest first', () => {
  it('are listed once each in the order in which they were accepted, with every filter', async () => {
    const service = await email.another();
    const to = someone();
    const ids: string[] = [];
    for (let at = 0; at < 5; at++)
      ids.push(await service.send({ subject: `mail ${at}`, to: [{ address: to }], tags: [{ name: 'a', value: 'b' }] }));
    await Promise.all(ids.map(service.finished));
    const now = new Date();
    const from = new Date(now.getTime() - 3_600_000);
    const filters = [{}, { to }, { status: 'SENT' }, { tag: { name: 'a', value: 'b' } }, { contains: 'MAIL' }];
    for (const filter of [...filters, { createdAt: { from, to: now } }, { to, status: 'SENT', contains: 'mail' }])
      for (const limit of PAGE_SIZES)
        expect(
          (
            await all(async (nextToken) => (await service.api.ask(MAILS, { filter, order: 'OLDEST', nextToken, limit })).messages)
          ).map(({ id }) => id),
        ).toEqual(ids);
    const { nextToken } = (await service.api.ask(MAILS, { order: 'OLDEST', limit: 1 })).messages;
    expect(await service.api.refusal(MAILS, { nextToken })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'nextToken' });
  });
});

describe('lists in other orders', () => {
  it('have files once each, sorted, with every filter and page size, and those without the key last', async () => {
    const api = await email.server.api('file-management');
    const short = Array.from({ length: 12 }, (_, at) => ({
      name: [null, 'b', 'a/b', 'a/a', 'É', 'z😀', 'a/c/d'][at % 7] ?? null,
      bytes: [undefined, 3, 1, 2, 2][at % 5],
      expiresIn: at % 3 === 0 ? 4_000 - at : null,
    }));
    const files: any[] = [];
    for (const { bytes, ...input } of short) {
      const { createFile } = await api.ask(`mutation($i:CreateFileInput){createFile(input:$i){id uploadUrl}}`, {
        i: { ...input, contentType: 'text/plain' },
      });
      if (bytes !== undefined)
        expect(
          (
            await fetch(createFile.uploadUrl, {
              method: 'PUT',
              body: 'x'.repeat(bytes),
              headers: { 'content-type': 'text/plain' },
            })
          ).status,
        ).toBe(200);
      files.push(createFile);
    }
    await api.ask(`mutation($i:UpdateFileInput){updateFile(input:$i){id}}`, { i: { id: files[4].id, comment: 'later' } });
    const fields = 'id name contentLength updatedAt expiresAt';
    const query = FILES.replace('id name', fields);
    const everything = (await api.ask(query, { order: 'OLDEST', limit: 100 })).files.items as any[];
    const by: Record<string, (one: any) => string | number | null> = {
      NAME: ({ name }) => name,
      RECENTLY_UPDATED: ({ updatedAt }) => -Date.parse(updatedAt),
      LARGEST: ({ contentLength }) => contentLength && -contentLength,
      SMALLEST: ({ contentLength }) => contentLength,
      EXPIRES_SOON: ({ expiresAt }) => expiresAt && Date.parse(expiresAt),
    };
    const filters: [object, (one: any) => boolean][] = [
      [{}, () => true],
      [{ folder: 'a/' }, ({ name }) => name === 'a/a' || name === 'a/b'],
      [{ folder: '' }, ({ name }) => name !== null && !name.includes('/')],
      [{ namePrefix: 'a/' }, ({ name }) => name?.startsWith('a/')],
      [{ contains: 'A/A' }, ({ name }) => name === 'a/a'],
      [{ status: 'done' }, ({ contentLength }) => contentLength !== null],
      [{ ids: everything.slice(3, 9).map(({ id }) => id) }, (one) => everything.slice(3, 9).includes(one)],
    ];
    for (const [order, keyOf] of Object.entries(by)) {
      const turn = order === 'LARGEST' || order === 'RECENTLY_UPDATED' ? -1 : 1;
      const sorted = [...everything].sort((one, other) => {
        const [a, b] = [keyOf(one), keyOf(other)];
        if (a === b || (a === null && b === null)) return turn * (one.id < other.id ? -1 : 1);
        if (a === null || b === null) return a === null ? 1 : -1;
        if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
        return a - Number(b);
      });
      for (const [filter, matches] of filters)
        for (const limit of PAGE_SIZES) {
          const read = await all(async (nextToken) => (await api.ask(query, { filter, order, nextToken, limit })).files);
          expect([order, filter, read]).toEqual([order, filter, sorted.filter(matches)]);
        }
    }
    const { nextToken } = (await api.ask(FILES, { order: 'NAME', limit: 1 })).files;
    for (const order of ['NEWEST', 'LARGEST'])
      expect(await api.refusal(FILES, { order, nextToken })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'nextToken' });
  });

  it('have files in order beyond one step of an index', async () => {
    const api = await email.server.api('file-management');
    for (let from = 0; from < STEP_ENTRIES + 200; from += 100) {
      // Minutes apart, so that the time to create them does not change the order in which they expire.
      const some = Array.from(
        { length: 100 },
        (_, at) =>
          `f${at}:createFile(input:{name:"${at % 50 ? 'x' : 'y'}/${9_999 - from - at}",expiresIn:${(9_999 - from - at) * 60}}){id}`,
      );
      await api.ask(`mutation{${some.join(' ')}}`);
    }
    for (const filter of [
      {},
      { folder: 'x/' },
      { folder: 'y/' },
      { namePrefix: 'x' },
      { status: 'uploading', contains: 'x/9' },
    ]) {
      const read = async (order: string) =>
        (await all(async (nextToken) => (await api.ask(FILES, { filter, order, nextToken, limit: 900 })).files)).map(
          ({ name }) => name,
        );
      const names = await read('NEWEST');
      expect(await read('EXPIRES_SOON')).toEqual(names);
      expect(await read('NAME')).toEqual([...names].sort());
      expect(await read('RECENTLY_UPDATED')).toEqual(names);
      expect((await read('LARGEST')).length).toBe(names.length);
    }
  });
});

it('scheduled mails are sorted by their time, with every filter', async () => {
  const service = await email.another();
  const to = someone();
  const hours = [5, 2, 9, 2, 7];
  const ids: string[] = [];
  for (const at of hours) {
    const sendAt = new Date(Date.now() + at * 3_600_000).toISOString();
    ids.push(await service.send({ subject: `in ${at}`, to: [{ address: to }], sendAt, tags: [{ name: 'a', value: 'b' }] }));
  }
  await service.send({ subject: 'now', to: [{ address: to }] });
  const wanted = [1, 3, 0, 4, 2].map((at) => ids[at]);
  const order = 'SENDS_SOON';
  for (const more of [
    {},
    { to },
    { status: 'QUEUED' },
    { tag: { name: 'a', value: 'b' } },
    { contains: 'IN ' },
    { createdAt: { to: new Date() } },
  ])
    for (const limit of PAGE_SIZES) {
      const filter = { scheduled: true, ...more };
      const read = await all(async (nextToken) => (await service.api.ask(MAILS, { filter, order, nextToken, limit })).messages);
      expect(read.map(({ id }) => id)).toEqual(wanted);
    }
  expect(await service.api.refusal(MAILS, { order })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'order' });
});

it('templates are sorted by name and by their last change, with every filter', async () => {
  const api = await email.server.api('document-rendering');
  const ids: string[] = [];
  for (const name of ['b', 'É', 'a', 'z😀', 'B'])
    ids.push(
      (
        await api.ask('mutation($i:CreateTemplateInput!){createTemplate(input:$i){id}}', {
          i: { name, type: 'document', contentType: 'plain', body: 'x' },
        })
      ).createTemplate.id,
    );
  await api.ask('mutation($id:ID!,$i:UpdateTemplateInput!){updateTemplate(id:$id,input:$i){id}}', {
    id: ids[1],
    i: { comment: 'x', contentType: 'plain', body: 'x' },
  });
  const TEMPLATES = `query($filter:TemplatesFilter,$order:TemplatesOrder,$nextToken:String,$limit:Int){
    templates(filter:$filter,order:$order,nextToken:$nextToken,limit:$limit){items{id} nextToken}}`;
  const orders = { OLDEST: [0, 1, 2, 3, 4], NAME: [4, 2, 0, 3, 1], RECENTLY_UPDATED: [1, 4, 3, 2, 0] };
  for (const [order, wanted] of Object.entries(orders))
    for (const filter of [{}, { active: true }, { ids }, { ids, active: true }])
      for (const limit of PAGE_SIZES) {
        const read = await all(async (nextToken) => (await api.ask(TEMPLATES, { filter, order, nextToken, limit })).templates);
        expect([order, read.map(({ id }) => ids.indexOf(id))]).toEqual([order, wanted]);
      }
  const { nextToken } = (await api.ask(TEMPLATES, { order: 'NAME', limit: 1 })).templates;
  expect(await api.refusal(TEMPLATES, { nextToken })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'nextToken' });
});
