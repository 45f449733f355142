// @only sqlite: only SQLite has a thread of ours
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { AllTenants } from '../src/common/database/database.js';
import { long } from '../src/common/database/sql/sql.js';
import { raw, sql } from '../src/common/database/sql/sql.js';
import { isDatabaseUnavailable } from '../src/common/base/database-faults.js';
import { uuidv7 } from '../src/common/base/ids.js';
import type { Api } from './support/api.js';
import { allRowsOf, querySqlite } from './support/behind-the-api.js';
import { TestServer } from './support/server.js';

const counting = (rows: number) =>
  sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) SELECT max(i) FROM n`;

const TENANTS = `SELECT "name" FROM "Tenant" WHERE "name" LIKE 'stray%'`;

/** The threads that were sent a message. */
const threads = new Set<Worker>();
const { postMessage } = Worker.prototype;

describe('the thread of SQLite', () => {
  let server: TestServer;
  let database: AllTenants;
  let files: Api;
  beforeAll(async () => {
    Worker.prototype.postMessage = function (...args: Parameters<Worker['postMessage']>) {
      threads.add(this);
      return postMessage.apply(this, args);
    };
    server = await TestServer.start();
    database = allRowsOf('the thread of the database is the subject', server);
    files = await server.api('file-management');
  });
  afterAll(async () => {
    await server.stop();
    Worker.prototype.postMessage = postMessage;
  });

  const tenant = (name: string) => ({ data: { id: uuidv7(), name, createdAt: new Date() } });
  const names = async (startsWith: string) =>
    (await database.tenant.findMany({ where: { name: { startsWith } }, orderBy: { name: 'asc' } })).map(({ name }) => name);
  const file = () => join(server.dataDir, 'platform-services.db');
  const live = async () => (await fetch(`${server.address}/health/live`)).status;
  /** Ends the thread as a crash would. */
  const crash = async () => {
    await live(); // a turn of the event loop: what was asked before has been sent
    for (const thread of threads) await thread.terminate();
    threads.clear();
  };
  const outcome = (promise: Promise<unknown>) =>
    promise.then(
      () => 'done',
      (error: unknown) => (isDatabaseUnavailable(error) ? 'unavailable' : error),
    );

  it('leaves the event loop free while a statement runs for long', async () => {
    let answers = 0;
    let done = false;
    const counted = database.$cells(counting(2_000_000)).finally(() => (done = true));
    for (; !done; answers++) expect(await live()).toBe(200);
    expect(await counted).toEqual([[2_000_000]]);
    expect(answers).toBeGreaterThan(10);
  });

  it('has a second one for large reads, so no short statement waits', async () => {
    let isDone = false;
    const counted = database.$cells(long(counting(3_000_000))).finally(() => (isDone = true));
    let short = 0;
    for (; !isDone; short++) await database.tenant.count();
    expect(await counted).toEqual([[3_000_000]]);
    expect(short).toBeGreaterThan(10);
  });

  it('lets no large read write anything', async () => {
    const table = `"writes_${uuidv7()}"`;
    await expect(database.$cells(long(raw(`CREATE TABLE ${table} ("x" TEXT)`)))).rejects.toThrow(/readonly/);
  });

  it('runs statements of tenants in round-robin order', async () => {
    const order: string[] = [];
    const ask = (tenantId: string, index: number) =>
      database
        .$cells(sql`SELECT count(*) FROM "File" WHERE "tenantId" = ${tenantId}`)
        .then(() => void order.push(`${tenantId}${index}`));
    const held = database.$cells(counting(200_000));
    await Promise.all([held, ...[0, 1, 2, 3].map((index) => ask('a', index)), ...[0, 1].map((index) => ask('b', index))]);
    expect(order).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'a3']);
  });

  it('executes nothing in a transaction without an owner', async () => {
    expect(await outcome(database.$executeRawUnsafe('BEGIN'))).toBe('unavailable');
    await database.tenant.create(tenant('stray'));
    expect(querySqlite('another connection sees what is committed alone', file(), TENANTS)).toEqual([{ name: 'stray' }]);
  });

  it('is replaced when it ends, and pending callers get an error', async () => {
    const waiting = [database.$cells(counting(500_000)), database.$queryRaw`SELECT 1`, database.tenant.count()];
    const told = Promise.all(waiting.map(outcome));
    await crash();
    expect(await told).toEqual(['unavailable', 'unavailable', 'unavailable']);
    expect((await files.ask('mutation{createFile{id}}')).createFile.id).toEqual(expect.any(String));
    expect((await fetch(`${server.address}/health/ready`)).status).toBe(200);
  });

  it('rolls an open transaction back when it ends, and nobody waits for it', async () => {
    const inside = database.$transaction(async (transaction) => {
      await transaction.tenant.create(tenant('crash-inside'));
      const outside = database.tenant.create(tenant('crash-outside'));
      await crash();
      const second = await outcome(transaction.tenant.create(tenant('crash-inside-2')));
      expect(second).toBe('unavailable');
      return outside;
    });
    expect(await outcome(inside)).not.toBe('done');
    expect(await names('crash-')).toEqual(['crash-outside']);
  });

  it('runs transactions one after the other, each on the result of the one before', async () => {
    const { id } = await database.tenant.create(tenant('count-0'));
    const addOne = () =>
      database.$transaction(
        async (transaction) => {
          const { name } = await transaction.tenant.findUniqueOrThrow({ where: { id } });
          await transaction.tenant.update({ where: { id }, data: { name: `count-${Number(name.slice(6)) + 1}` } });
        },
        { maxWait: 20_000, timeout: 20_000 },
      );
    await Promise.all(Array.from({ length: 30 }, addOne));
    expect(await names('count-')).toEqual(['count-30']);
  });

  const plain = <T>(run: (on: AllTenants) => Promise<T>): Promise<T> => run(database);
  const inTransaction = <T>(run: (on: AllTenants) => Promise<T>): Promise<T> =>
    database.$transaction((transaction) => run(transaction as unknown as AllTenants));
  describe.each([
    ['outside of a transaction', plain],
    ['in a transaction', inTransaction],
  ])('%s', (_, on) => {
    it('passes values on unchanged', async () => {
      const values = {
        empty: '',
        emoji: 'a 👩‍🚀 b',
        nothing: null,
        small: -1,
        large: 2n ** 53n + 1n,
        largest: 2n ** 63n - 1n,
        fraction: 0.1,
        bytes: new Uint8Array([0, 255, 1]),
        time: new Date('2024-02-29T12:00:00.123Z'),
      };
      const table = `"values_${uuidv7()}"`;
      await database.$executeRawUnsafe(
        `CREATE TABLE ${table} ("empty" TEXT, "emoji" TEXT, "nothing" TEXT, "small" INTEGER, "large" BIGINT, "largest" BIGINT,
         "fraction" REAL, "bytes" BLOB, "time" DATETIME)`,
      );
      await on((to) => to.$executeRawUnsafe(`INSERT INTO ${table} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, ...Object.values(values)));
      const [row] = await on((from) => from.$queryRawUnsafe<any[]>(`SELECT * FROM ${table}`));
      expect({ ...row, bytes: new Uint8Array(row.bytes) }).toEqual(values);
      const types = Object.keys(values).map((name) => `typeof("${name}")`);
      const [stored] = await database.$cells(raw(`SELECT ${types.join()} FROM ${table}`));
      expect(stored).toEqual(['text', 'text', 'null', 'integer', 'integer', 'integer', 'real', 'blob', 'integer']);
      await database.$executeRawUnsafe(`DROP TABLE ${table}`);
    });

    it('reports the constraint that a row violated', async () => {
      const taken = tenant(`taken-${uuidv7()}`);
      await database.tenant.create(taken);
      await expect(on((to) => to.tenant.create(taken))).rejects.toMatchObject({ code: 'P2002', meta: { modelName: 'Tenant' } });
      const orphan = { id: uuidv7(), tenantId: uuidv7(), prefix: '', hash: uuidv7(), scope: '', createdAt: new Date() };
      await expect(on((to) => to.apiKey.create({ data: orphan }))).rejects.toMatchObject({ code: 'P2003' });
      await expect(on((to) => to.$queryRawUnsafe('SELECT * FROM "Nothing"'))).rejects.toMatchObject({
        code: 'P2010',
        message: expect.stringContaining('no such table: Nothing'),
      });
    });
  });

  it('refuses a value that cannot be sent, and runs the statements beside it', async () => {
    const asked = [() => 1, 'one', Symbol('two'), 'three'].map((value) =>
      database.$cells(sql`SELECT ${value}`).then(
        ([row]: any) => row[0],
        () => 'refused',
      ),
    );
    expect(await Promise.all(asked)).toEqual(['refused', 'one', 'refused', 'three']);
  });

  it('runs statements atomically: all or none', async () => {
    const insert = (id: string) => sql`INSERT INTO "Tenant" ("id", "name", "createdAt") VALUES (${id}, ${`atom-${id}`}, 0)`;
    await database.$atomically([insert('a'), insert('b')]);
    expect(await names('atom-')).toEqual(['atom-a', 'atom-b']);
    await expect(database.$atomically([insert('c'), insert('a')])).rejects.toMatchObject({
      cause: { kind: 'UniqueConstraintViolation' },
    });
    const [, rows] = await database.$atomically([
      insert('d'),
      sql`SELECT "id" FROM "Tenant" WHERE "name" LIKE 'atom-%' ORDER BY 1`,
    ]);
    expect(rows).toEqual([['a'], ['b'], ['d']]);
  });

  it('reads no row past the requested size', async () => {
    const text = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, 'xxxxxxxxxx' FROM n`;
    const { rows, bytes } = await database.$cellsUpTo({ statement: raw(text), wanted: 'rows' }, 25);
    expect([rows, bytes]).toEqual([[1, 2, 3].map((i) => [i, 'xxxxxxxxxx']), 30]);
  });

  it('ends with its application', async () => {
    await names('any'); // so that the thread of the first server is known
    const before = new Set(threads);
    const other = await TestServer.start();
    const thread = [...threads].find((one) => !before.has(one));
    const ended = new Promise((done) => thread!.once('exit', done));
    await other.stop();
    expect(await ended).toBe(0);
  });
});
