// @only postgresql: SQLite has no connections
import type { AllTenants } from '../src/common/database/database.js';
import { sql } from '../src/common/database/sql/sql.js';
import { isDatabaseUnavailable } from '../src/common/base/database-faults.js';
import { connectDatabase, openPool, openPostgres } from './support/behind-the-api.js';
import { createDatabase, type TestDatabase } from './support/databases.js';
import { Deployment } from './support/process.js';
import { FaultyProxy } from './support/s3.js';
import { until } from './support/websockets.js';

const REASON = 'transactions of the client are the subject';

describe('a transaction on PostgreSQL', () => {
  let deployment: Deployment;
  let url: string;
  let database: AllTenants;
  beforeAll(async () => {
    deployment = await Deployment.create();
    url = deployment.settings.DATABASE_URL!;
    await deployment.command('migrate');
    database = await connectDatabase(REASON, url, 2);
    await database.$cells(sql`CREATE TABLE "Kept" (n int UNIQUE)`);
  });
  afterAll(async () => {
    await database.$disconnect();
    await deployment.remove();
  });
  const kept = async () => (await database.$cells(sql`SELECT n FROM "Kept" ORDER BY n`)).flat();

  it('that swallowed the error of a statement is reported as failed, since PostgreSQL answers its COMMIT with ROLLBACK', async () => {
    const swallowing = database.$transaction(async (transaction) => {
      await transaction.$executeRaw(sql`INSERT INTO "Kept" VALUES (1)`);
      await transaction.$executeRaw(sql`INSERT INTO "Kept" VALUES (1)`).catch(() => undefined);
    });
    await expect(swallowing).rejects.toThrow('COMMIT was answered with ROLLBACK');
    expect(await kept()).toEqual([]);
  });

  it('that reaches its time limit within an operation of two statements stores nothing of it', async () => {
    const other = await openPostgres(REASON, url);
    await other.query('BEGIN; LOCK TABLE "Lease"');
    const late = database.$transaction(
      async ({ lease }) => {
        const rest = { expiresAt: new Date() };
        await lease.upsert({
          where: { name: 'late', holder: 'a' },
          create: { name: 'late', holder: 'b', ...rest },
          update: rest,
        });
      },
      { timeout: 200 },
    );
    const outcome = late.catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 1_000)); // the limit ends first, since its timer does
    await other.query('ROLLBACK');
    expect(isDatabaseUnavailable(await outcome)).toBe(true);
    expect(await database.lease.findMany({ where: { name: 'late' } })).toEqual([]);
    await other.end();
  });

  it('whose owner released its connection is never continued by the next caller', async () => {
    const pool = openPool(REASON, url, 1);
    const first = await pool.connect();
    await first.query('BEGIN');
    await first.query('INSERT INTO "Kept" VALUES (2)');
    first.release();
    await pool.query('INSERT INTO "Kept" VALUES (3)');
    expect(await kept()).toEqual([3]);
    await pool.end();
  });
});

describe('a transaction of a node that was cut off from PostgreSQL', () => {
  let own: TestDatabase;
  beforeAll(async () => void (own = await createDatabase('postgresql')));
  afterAll(() => own.drop());

  it('is rolled back by the server, which releases its locks', async () => {
    const direct = new URL(own.settings('').DATABASE_URL!);
    const proxy = await FaultyProxy.to(`http://${direct.hostname}:${direct.port || 5432}`);
    const through = new URL(direct);
    through.host = new URL(proxy.endpoint).host;
    const database = await connectDatabase(REASON, through.href, 1);
    const other = await openPostgres(REASON, direct.href);
    await other.query('CREATE TABLE "Kept" (n int)');
    await other.query('INSERT INTO "Kept" VALUES (1)');
    const lost = database.$transaction(async (transaction) => {
      await transaction.$executeRaw(sql`UPDATE "Kept" SET n = 2`);
      proxy.cutOff();
      await transaction.$executeRaw(sql`UPDATE "Kept" SET n = 3`);
    });
    expect(isDatabaseUnavailable(await lost.catch((error: unknown) => error))).toBe(true);
    await other.query(`SET lock_timeout = '1s'`);
    const change = () => other.query('UPDATE "Kept" SET n = n + 10 RETURNING n').catch(() => undefined);
    const { rows } = await until(change, 60_000);
    expect(rows).toEqual([{ n: 11 }]);
    await database.$disconnect();
    await other.end();
    await proxy.close();
  });
});
