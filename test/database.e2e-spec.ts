import type { AllTenants } from '../src/common/database/database.js';
import { migrate } from '../src/common/database/migrator.js';
import { uuidv7 } from '../src/common/base/ids.js';
import { allRowsOf } from './support/behind-the-api.js';
import { TestServer } from './support/server.js';

describe('the database', () => {
  let server: TestServer;
  let database: AllTenants;
  beforeAll(async () => {
    server = await TestServer.start();
    database = allRowsOf('the client of the database is the subject', server);
  });
  afterAll(() => server.stop());

  const tenant = (name: string) => ({ data: { id: uuidv7(), name, createdAt: new Date() } });
  const names = async (beginning: string) =>
    (await database.tenant.findMany({ where: { name: { startsWith: beginning } }, orderBy: { name: 'asc' } })).map(
      ({ name }) => name,
    );

  it('stores what was answered outside of a transaction that is rolled back concurrently', async () => {
    let outside: Promise<unknown> = Promise.resolve();
    const inside = database.$transaction(async (transaction) => {
      await transaction.tenant.create(tenant('gate-inside'));
      outside = database.tenant.create(tenant('gate-outside'));
      await new Promise((done) => setImmediate(done));
      throw new Error('roll back');
    });
    await expect(inside).rejects.toThrow('roll back');
    await outside;
    expect(await names('gate-')).toEqual(['gate-outside']);
  });

  it('shows nobody what a transaction has not committed', async () => {
    let seen: Promise<string[]> = Promise.resolve([]);
    await database.$transaction(async (transaction) => {
      await transaction.tenant.create(tenant('peek-a'));
      const look = names('peek-');
      seen = look;
      await Promise.race([look.catch(() => undefined), new Promise((done) => setTimeout(done, 50))]);
      await transaction.tenant.create(tenant('peek-b'));
    });
    // Before the transaction or after it, never in the middle.
    expect([[], ['peek-a', 'peek-b']]).toContainEqual(await seen);
  });

  it('rolls a batch back as a whole and continues to work', async () => {
    const same = tenant('batch-1');
    await expect(database.$transaction([database.tenant.create(same), database.tenant.create(same)])).rejects.toMatchObject({
      code: 'P2002',
    });
    await database.tenant.create(tenant('batch-2'));
    expect(await names('batch-')).toEqual(['batch-2']);
  });

  it('loses no update of a hundred concurrent transactions', async () => {
    const add = (i: number) =>
      database.$transaction(async (transaction) => void (await transaction.tenant.create(tenant(`many-${i}`))), {
        maxWait: 20_000,
        timeout: 20_000,
      });
    await Promise.all(Array.from({ length: 100 }, (_, i) => add(i)));
    expect(await names('many-')).toHaveLength(100);
  });

  it('is migrated already, so migrating again does nothing, even ten times concurrently', async () => {
    const url = server.settings.DATABASE_URL ?? `file:${server.dataDir}/platform-services.db`;
    expect(await Promise.all(Array.from({ length: 10 }, () => migrate(url)))).toEqual(Array.from({ length: 10 }, () => []));
    const [history] = await database.$queryRawUnsafe<{ count: unknown }[]>(
      'SELECT count(*) AS count FROM "_prisma_migrations" WHERE finished_at IS NOT NULL',
    );
    expect(Number(history!.count)).toBeGreaterThan(0);
  });

  it('is checked by readiness', async () => {
    const response = await fetch(`${server.address}/health/ready`);
    expect([response.status, await response.json()]).toMatchObject([200, { checks: { database: 'ok', disk: 'ok' } }]);
    expect((await fetch(`${server.address}/health/live`)).status).toBe(200);
  });
});
