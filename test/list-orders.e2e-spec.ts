import { STEP_ENTRIES } from '../src/common/database/sql/index-walks.js';
import type { Api } from './support/api.js';
import { Email, someone } from './support/email.js';

const FILES = `query($filter:FilesFilter,$order:FilesOrder,$nextToken:String,$limit:Int){
  files(filter:$filter,order:$order,nextToken:$nextToken,limit:$limit){items{id name} nextToken}}`;
const MAILS = `query($filter:EmailMessagesFilter,$order:EmailMessagesOrder,$nextToken:String,$limit:Int){
  messages(filter:$filter,order:$order,nextToken:$nextToken,limit:$limit){items{id subject} nextToken}}`;

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

  it('come once each in the order of their creation, with every filter, though files come and go meanwhile', async () => {
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

  it('end by a nextToken that the other order refuses', async () => {
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
  it('come once each in the order in which they were accepted, with every filter', async () => {
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
      for (const limit of [1, 2, 100])
        expect(
          (
            await all(async (nextToken) => (await service.api.ask(MAILS, { filter, order: 'OLDEST', nextToken, limit })).messages)
          ).map(({ id }) => id),
        ).toEqual(ids);
    const { nextToken } = (await service.api.ask(MAILS, { order: 'OLDEST', limit: 1 })).messages;
    expect(await service.api.refusal(MAILS, { nextToken })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'nextToken' });
  });
});
