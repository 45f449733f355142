// @only postgresql: SQLite has no pool, and takes turns in its thread (sqlite-thread)
import type { AllTenants } from '../src/common/database/database.js';
import { scan } from '../src/common/database/sql/sql.js';
import { sql } from '../src/common/database/sql/sql.js';
import { connectDatabase } from './support/behind-the-api.js';
import { createDatabase } from './support/databases.js';

const CONNECTIONS = 4;

describe('the connections of a pool', () => {
  let database: AllTenants;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const created = await createDatabase();
    drop = () => created.drop();
    const url = created.settings('').DATABASE_URL!;
    database = await connectDatabase('the pool of connections is the subject', url, CONNECTIONS);
  });
  afterAll(async () => {
    await database.$disconnect();
    await drop();
  });

  const sleeping = (tenantId: string) =>
    sql`SELECT pg_sleep(0.2)::text FROM (SELECT ${tenantId}::text AS "tenantId") AS t WHERE "tenantId" = ${tenantId}`;
  const askedOf = async (mark: (statement: ReturnType<typeof sleeping>) => ReturnType<typeof sleeping>) => {
    const order: string[] = [];
    const ask = (tenantId: string) => database.$cells(mark(sleeping(tenantId))).then(() => void order.push(tenantId));
    await Promise.all([...Array.from({ length: 8 }, () => ask('busy')), ask('other')]);
    return order;
  };

  it('are left partly to other tenants by one with many statements', async () => {
    expect((await askedOf((statement) => statement)).indexOf('other')).toBeLessThanOrEqual(CONNECTIONS / 2);
  });

  it('are used one at most for scans of one tenant', async () => {
    expect((await askedOf(scan)).indexOf('other')).toBeLessThanOrEqual(1);
  });
});
