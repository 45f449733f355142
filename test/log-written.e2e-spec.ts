import type { AllTenants } from '../src/common/database/database.js';
import { uuidv7 } from '../src/common/base/ids.js';
// Past the API: statements whose plans are examined, and the lock that the sealer takes.
import { SEAL_LOCK } from '../src/modules/document-log/records/records.queries.js';
import { examinedStatement, writtenStatement } from '../src/modules/document-log/logs/written-order.queries.js';
import { Api } from './support/api.js';
import { allRowsOf, openPostgres } from './support/behind-the-api.js';
import { DocumentLog, input } from './support/document-log.js';
import { TestServer } from './support/server.js';
import { dialect, explained } from './support/plans.js';

declare const databaseKind: string;
const isPostgres = databaseKind === 'postgresql';

const FOLLOW = `query($filter:LogsFilter,$nextToken:String,$limit:Int,$order:LogOrder){
  logs(filter:$filter,nextToken:$nextToken,limit:$limit,order:$order){items{id comment} nextToken hasMore}}`;
const BATCH = 'mutation($input:[CreateLogInput!]!){createLogBatch(input:$input){results{itemId}}}';

let log: DocumentLog;
let database: AllTenants;
beforeAll(async () => {
  log = await DocumentLog.start();
  database = allRowsOf('no API shows the seq of a record or the plan of a statement', log.server);
});
afterAll(() => log.stop());

interface Wanted {
  filter?: object;
  nextToken?: string | null;
  limit?: number;
  order?: string | null;
}
const page = async (api: Api, wanted: Wanted) => (await api.ask(FOLLOW, { order: 'WRITTEN', ...wanted })).logs;

/** Polls like a SIEM, until it is stopped. */
const follow = async (api: Api, wanted: Wanted, isEnough: (seen: string[]) => boolean) => {
  const seen: string[] = [];
  let pages = 0;
  for (let nextToken = wanted.nextToken ?? null; ;) {
    const found = await page(api, { ...wanted, nextToken });
    seen.push(...found.items.map(({ id }: { id: string }) => id));
    nextToken = found.nextToken;
    pages++;
    if (isEnough(seen)) return { seen, pages, nextToken };
    if (!found.hasMore) await new Promise((done) => setTimeout(done, 20));
  }
};

describe('records in the order of writing', () => {
  it('are read once each and in one order by every client that polls while nodes write', async () => {
    const own = await log.another();
    const other = isPostgres ? await TestServer.start(log.server.settings) : undefined;
    const addresses = [own.api.address, other?.address ?? own.api.address];
    const made: string[] = [];
    let writing = 8;
    const write = async (writer: number) => {
      const api = new Api(addresses[writer % 2]!, 'document-log', own.api.key);
      for (let batch = 0; batch < 12; batch++) {
        const records = Array.from({ length: 1 + ((writer * 7 + batch * 3) % 40) }, (_, index) =>
          input({ dateTime: new Date(Date.UTC(2024, 0, 1 + ((writer * index) % 365))) }),
        );
        const { createLogBatch } = await api.ask(BATCH, { input: records });
        made.push(...createLogBatch.results.map(({ itemId }: { itemId: string }) => itemId));
      }
      writing--;
    };
    const isAll = (seen: string[]) => writing === 0 && seen.length >= made.length;
    try {
      const pollers = [
        follow(own.api, { limit: 17 }, isAll),
        follow(new Api(addresses[1]!, 'document-log', own.api.key), {}, isAll),
      ];
      await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
      const [first, second] = await Promise.all(pollers);
      expect(first!.seen).toHaveLength(made.length);
      expect(new Set(first!.seen)).toEqual(new Set(made));
      expect(second!.seen).toEqual(first!.seen);
      const bySeq = await database.log.findMany({ where: { id: { in: made } }, orderBy: { seq: 'asc' }, select: { id: true } });
      expect(first!.seen).toEqual(bySeq.map(({ id }) => id));
    } finally {
      await other?.stop();
    }
  });

  if (isPostgres) {
    it('wait for a record that reserved its seq earlier and is committed later', async () => {
      const own = await log.another();
      const [template] = await own.createMany([{}]);
      const { nextToken } = await follow(own.api, {}, (seen) => seen.length === 1);
      const client = await openPostgres('no API commits a record late', log.server.settings.DATABASE_URL!);
      const columns = (await client.query(`SELECT string_agg(quote_ident(column_name), ',') AS "list" FROM information_schema.columns
        WHERE table_name = 'Log' AND column_name NOT IN ('seq', 'id')`)).rows[0].list; // prettier-ignore
      const late = uuidv7();
      await client.query('BEGIN');
      await client.query(`SELECT pg_advisory_xact_lock_shared(${SEAL_LOCK})`);
      await client.query(`INSERT INTO "Log" ("id",${columns}) SELECT '${late}',${columns} FROM "Log" WHERE "id" = '${template}'`);
      const later = await own.createMany([{}, {}]);
      for (let poll = 0; poll < 20; poll++) expect((await page(own.api, { nextToken })).items).toEqual([]);
      await client.query('COMMIT');
      await client.end();
      expect((await follow(own.api, { nextToken }, (seen) => seen.length >= 3)).seen).toEqual([late, ...later]);
    });
  }

  it('can be followed with a filter; each page examines a bounded number of records, even if few match', async () => {
    const own = await log.another();
    const made = await own.createMany(
      Array.from({ length: 11_000 }, (_, index) => ({
        documentId: index === 0 || index === 10_999 ? 'rare' : 'often',
        comment: 'x',
      })),
    );
    await follow(own.api, { limit: 1_000 }, (seen) => seen.length === made.length);
    const filter = { documentId: 'rare', dateTime: { from: '2024-01-01' } };
    const { seen, pages, nextToken } = await follow(own.api, { filter }, (ids) => ids.length === 2);
    expect([seen, pages]).toEqual([[made[0], made.at(-1)], 3]);
    const [next] = await own.createMany([{ documentId: 'rare' }]);
    expect((await follow(own.api, { filter, nextToken }, (ids) => ids.length === 1)).seen).toEqual([next]);
  });

  it('always have a token for later records, even before the first one', async () => {
    const own = await log.another();
    const empty = await page(own.api, {});
    expect(empty).toEqual({ items: [], nextToken: expect.any(String), hasMore: false });
    const made = await own.createMany([{ dateTime: '2024-01-02' }, { dateTime: '2024-01-01' }]);
    const { seen, nextToken } = await follow(own.api, { nextToken: empty.nextToken, limit: 1 }, (ids) => ids.length === 2);
    expect(seen).toEqual(made);
    expect(await page(own.api, { nextToken })).toMatchObject({ items: [], hasMore: false });
    const event = await page(own.api, { order: 'EVENT', limit: 1 });
    expect(event).toMatchObject({ items: [{ id: made[0] }], hasMore: true });
    expect(await page(own.api, { order: null, limit: 1, nextToken: event.nextToken })).toMatchObject({
      items: [{ id: made[1] }],
      nextToken: null,
      hasMore: false,
    });
  });

  it('refuse a token of another order, filter or tenant', async () => {
    const own = await log.another();
    await own.createMany([{}, {}]);
    const written = (await page(own.api, {})).nextToken;
    const event = (await page(own.api, { order: 'EVENT', limit: 1 })).nextToken;
    const refusal = { code: 'BAD_USER_INPUT', field: 'nextToken' };
    for (const wanted of [
      { order: 'EVENT', nextToken: written },
      { order: 'WRITTEN', nextToken: event },
      { order: 'WRITTEN', nextToken: written, filter: { action: 'a' } },
      { order: 'WRITTEN', nextToken: `${written}x` },
    ]) {
      expect(await own.api.refusal(FOLLOW, wanted)).toMatchObject(refusal);
    }
    expect(await (await log.another()).api.refusal(FOLLOW, { order: 'WRITTEN', nextToken: written })).toMatchObject(refusal);
  });

  it('are read by the index of seqs, whatever the filter', async () => {
    if (isPostgres) await database.$executeRawUnsafe('ANALYZE "Log"');
    const wanted = { documentId: 'rare', action: 'a', id: 'x', from: new Date('2024-01-01'), to: new Date('2024-01-02') };
    const part = { tenantId: 'someone', after: 5n, upTo: 1_000_000n };
    for (const statement of [
      examinedStatement(dialect, { ...part, wanted }),
      writtenStatement(dialect, { ...part, wanted }, 101),
      writtenStatement(dialect, { ...part, wanted: {} }, 101),
    ]) {
      const { plan } = await explained(database, statement);
      expect(plan).toContain('Log_tenantId_seq_idx');
      expect(plan).not.toMatch(/Sort|TEMP B-TREE|Seq Scan/);
    }
  });
});
