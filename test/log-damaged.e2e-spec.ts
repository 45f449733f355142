import type { AllTenants } from '../src/common/database/database.js';
import { allRowsOf } from './support/behind-the-api.js';
import { DocumentLog } from './support/document-log.js';

declare const databaseKind: string;
const isPostgres = databaseKind === 'postgresql';

let log: DocumentLog;
let database: AllTenants;
beforeAll(async () => {
  log = await DocumentLog.start();
  database = allRowsOf('no API damages a record or a block', log.server);
});
afterAll(() => log.stop());

const run = (sql: string) => database.$executeRawUnsafe(sql);
const change = (id: string, column: string, value: string) => run(`UPDATE "Log" SET "${column}" = ${value} WHERE "id" = '${id}'`);
const refusal = (id: string | null) => ({ code: 'FAILED_PRECONDITION', message: expect.stringContaining(id ?? 'without an id') });
const PAGE = `query($filter:LogsFilter,$nextToken:String,$limit:Int){logs(filter:$filter,nextToken:$nextToken,limit:$limit){
  items{id comment dateTime edits{newValue}} nextToken}}`;

const TEXTS = ['documentId', 'documentType', 'attributeId', 'authorId', 'action', 'comment', 'custom1', 'custom2', 'details'];
const STRANGE = [
  ['details', "'no JSON'"],
  ['details', "'null'"],
  ...(isPostgres
    ? [
        ['createdAt', "'infinity'"],
        ['updateAt', "'-infinity'"],
      ]
    : [...TEXTS, 'createdAt', 'updateAt'].map((name) => [name, "x'00ff'"])),
] as [string, string][];

describe('a record with a value of another type in the database', () => {
  it.each(STRANGE)('in %s (%s) is refused, and the others of its page are returned', async (column, value) => {
    const own = await log.another();
    const ids = await own.createMany([{ comment: 'a' }, { comment: 'b' }, { comment: 'c' }]);
    await own.update(ids[0]!, { comment: 'changed' });
    await change(ids[1]!, column, value);
    const { data, errors } = await own.api.send(PAGE);
    const { items } = data.logs;
    expect(items.map((item: any) => item?.id ?? null).toReversed()).toEqual([ids[0], null, ids[2]]);
    expect(items[2]).toMatchObject({ comment: 'changed', edits: [{ newValue: 'changed' }] });
    expect(errors).toMatchObject([{ path: ['logs', 'items', 1], message: expect.stringContaining(ids[1]!) }]);
    expect(errors![0]!.extensions.code).toBe('FAILED_PRECONDITION');
    expect((await own.api.ask('{verifyLogs{valid brokenLogId}}')).verifyLogs).toEqual({ valid: false, brokenLogId: ids[1] });

    const UPDATE = 'mutation($input:UpdateLogInput!){updateLog(input:$input){id}}';
    expect(await own.api.refusal(UPDATE, { input: { id: ids[1], custom1: 'x' } })).toMatchObject(refusal(ids[1]!));
    const lines = (await (await own.export('')).text())
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    expect(lines.map(({ id }) => id).toReversed()).toEqual(ids);
    expect(lines[1]).toEqual({ id: ids[1], error: refusal(ids[1]!) });
    const rows = (await (await own.export('?format=csv')).text()).split('\r\n').slice(0, -1);
    expect(rows).toHaveLength(4);
    expect(rows[2]).toMatch(new RegExp(`^${ids[1]},+$`));
  });

  it('in its time is found by its id only, and refused; the others are listed page by page', async () => {
    const values = isPostgres ? ["'infinity'", "'-infinity'", "'0044-03-15 BC'"] : ["x'00'", "'soon'", '9e18', '-9e18'];
    const own = await log.another();
    const ids = await own.createMany([...values, 1, 2, 3].map(() => ({})));
    for (const [index, value] of values.entries()) await change(ids[index]!, 'dateTime', value);
    const seen: string[] = [];
    for (let nextToken: string | null = null, isFirst = true; isFirst || nextToken; isFirst = false) {
      const { logs }: any = await own.api.ask(PAGE, { limit: 1, nextToken });
      seen.push(...logs.items.map(({ id }: any) => id));
      nextToken = logs.nextToken;
    }
    expect(seen).toEqual(ids.slice(values.length).toReversed());
    for (const id of ids.slice(0, values.length)) {
      const { data, errors } = await own.api.send(PAGE, { filter: { id } });
      expect([data.logs.items, errors]).toEqual([[null], [expect.objectContaining({ message: expect.stringContaining(id) })]]);
    }
  });

  if (!isPostgres) {
    it('in its id does not hide those of the same time, whatever the page size', async () => {
      const own = await log.another();
      const ids = await own.createMany([{}, {}, {}, {}]);
      await change(ids[1]!, 'id', "x'00'");
      const { data, errors } = await own.api.send(PAGE, { limit: 1 });
      expect([data.logs.items, errors?.[0]?.extensions.code]).toEqual([[null], 'FAILED_PRECONDITION']);
      const rest = await own.page({}, data.logs.nextToken, 10);
      expect(rest.items.map(({ id }: any) => id)).toEqual([ids[3], ids[2], ids[0]]);
      await run(`DELETE FROM "Log" WHERE "id" = x'00'`);
    });
  }

  it('in its edits is refused where they are selected, and nowhere else', async () => {
    const own = await log.another();
    const ids = await own.createMany([{}, {}]);
    for (const id of ids) await own.update(id, { comment: 'changed' });
    const value = isPostgres ? `"dateTime" = 'infinity'` : `"newValue" = x'00'`;
    await run(`UPDATE "LogEdit" SET ${value} WHERE "logId" = '${ids[0]}'`);
    const { data, errors } = await own.api.send(PAGE);
    expect(data.logs.items.map(({ edits }: any) => edits)).toEqual([[{ newValue: 'changed' }], null]);
    expect(errors).toMatchObject([{ path: ['logs', 'items', 1, 'edits'] }]);
    expect(errors![0]!.extensions).toEqual({ code: 'FAILED_PRECONDITION' });
    const lines = (await (await own.export('')).text())
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    expect(lines.map(({ error }) => error?.code)).toEqual([undefined, 'FAILED_PRECONDITION']);
    expect((await own.api.ask('{logs{items{id}}}')).logs.items).toHaveLength(2);
  });

  it('is refused in the state of its document, without the other attributes', async () => {
    const own = await log.another();
    const ids = await own.createMany(['a', 'b', 'c'].map((id) => ({ attribute: { id }, attributeNewValue: { raw: id } })));
    await change(ids[1]!, 'details', "'no JSON'");
    const query = '{documentState(documentId:"d1",documentType:"invoice"){logId value{raw}}}';
    const { data, errors } = await own.api.send(query);
    expect(data.documentState.map((state: any) => state?.value.raw ?? null)).toEqual(['a', null, 'c']);
    expect(errors).toMatchObject([{ path: ['documentState', 1], message: expect.stringContaining(ids[1]!) }]);
  });

  it('is refused to a repeat of its idempotency key', async () => {
    const own = await log.another();
    const { id } = await own.create({ idempotencyKey: 'k' });
    await change(id, 'details', "'no JSON'");
    const CREATE = 'mutation($input:CreateLogInput!){createLog(input:$input){itemId item{id}}}';
    const input = { documentId: 'd1', documentType: 'invoice', dateTime: '2024-07-16T10:00:00.000Z', idempotencyKey: 'k' };
    const { data, errors } = await own.api.send(CREATE, { input });
    expect(data.createLog).toEqual({ itemId: id, item: null });
    expect(errors).toMatchObject([{ path: ['createLog', 'item'], message: expect.stringContaining(id) }]);
  });
});

describe('a verification', () => {
  it('reads at most one page concurrently, however large the records and their edits are', async () => {
    const own = await log.another();
    const raw = 'x'.repeat(60_000);
    const made = [];
    for (let batch = 0; batch < 3; batch++) {
      made.push(...(await own.createMany(Array.from({ length: 50 }, () => ({ attributeNewValue: { raw, display: raw } })))));
    }
    const query = database.$query;
    const sizes: number[] = [];
    (database as any).$query = async (...args: Parameters<typeof query>) => {
      const rows = await query.apply(database, args);
      sizes.push(rows.flat().reduce((sum: number, cell) => sum + (typeof cell === 'string' ? cell.length : 0), 0));
      return rows;
    };
    try {
      const { verifyLogs } = await own.api.ask('{verifyLogs{valid checkedRecords}}');
      expect(verifyLogs).toEqual({ valid: true, checkedRecords: 150 });
    } finally {
      database.$query = query;
    }
    expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(150 * 2 * raw.length);
    expect(Math.max(...sizes)).toBeLessThan(9 * 1024 * 1024);
  });
});
