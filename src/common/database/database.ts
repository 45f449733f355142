import type { SqlDriverAdapter, SqlQuery } from '@prisma/driver-adapter-utils';
import { serversOf } from '../config/database-servers.js';
import type { PrismaClient } from '../../generated/sqlite/client.js';
import type { DatabaseMetrics } from './database-metrics.js';
import { FROM_QUERY, type Rows } from './rows.js';
import { type Compiled, type Dialect, POSTGRESQL, SQLITE } from './sql/dialect.js';
import type { Sql } from './sql/sql.js';
import type { SqliteAdapter } from './sqlite/sqlite-adapter.js';
import { type TenantDatabase, tenantDatabase } from './tenant-database.js';
import type { SharedModels } from './tenant-models.js';

/** Takes statements of our own by the client, within a transaction too. */
export type Statements = Pick<PrismaClient, '$queryRaw' | '$executeRaw'>;

/** The rows of all tenants. Typed as the SQLite client, which is the narrower of the two, so that what compiles runs on both. */
export type AllTenants = PrismaClient & Rows;

/** A transaction over the rows of all tenants, as its callback gets it. */
export type AllTenantsTransaction = Parameters<Parameters<PrismaClient['$transaction']>[0]>[0];

/**
 * The database of this node, on SQLite or PostgreSQL; also the injection token. It reaches no row of a tenant by itself: `of` does
 * for one tenant, and `acrossTenants` for jobs and the operator.
 */
export abstract class Database {}
export interface Database extends SharedModels {
  readonly dialect: Dialect;
  /** The rows of one tenant. */
  of(tenantId: string): TenantDatabase;
  /** The rows of all tenants. The reason says why no single tenant can be named. */
  acrossTenants(reason: string): AllTenants;
  /** Rejects while changes are not committed that callers were told of. On SQLite, where all share one connection. */
  checkCommits(): Promise<void>;
  $disconnect(): Promise<void>;
}

/** Rows that change every few seconds, so that a change that is not committed shows soon. */
const PULSE = 'SELECT "name", "holder", "expiresAt" FROM "Lease" ORDER BY "name"';

/** Longer than a connection and then a statement may take, so that those limits decide, which count what came during a pause. */
const TRANSACTION_MS = 12_000;
const OPTIONS = {
  /** Leaves out the source lines around a call: they are read from disk for each error, and a lost database causes many. */
  errorFormat: 'minimal',
  transactionOptions: { maxWait: TRANSACTION_MS, timeout: TRANSACTION_MS },
} as const;

interface Factory {
  readonly provider: string;
  connect(): Promise<SqlDriverAdapter>;
}

export async function connectPrisma(databaseUrl: string, maxConnections: number, metrics?: DatabaseMetrics): Promise<Database> {
  if (databaseUrl.startsWith('file:')) {
    const [{ PrismaClient }, { SqliteAdapterFactory }] = await Promise.all([
      import('../../generated/sqlite/client.js'),
      import('./sqlite/sqlite-adapter.js'),
    ]);
    const adapter = new SqliteAdapterFactory(databaseUrl.slice('file:'.length));
    return connected(adapter, () => new PrismaClient({ adapter, ...OPTIONS }), metrics);
  }
  const [{ PrismaClient }, { PrismaPg }, { BoundedPool }, { refuseAfterEnd }] = await Promise.all([
    import('../../generated/postgresql/client.js'),
    import('@prisma/adapter-pg'),
    import('./postgresql/postgres-pool.js'),
    import('./postgresql/owned-transactions.js'),
  ]);
  const servers = serversOf(databaseUrl);
  const schema = new URL(servers[0]!).searchParams.get('schema') ?? undefined;
  const pool = new BoundedPool(servers, maxConnections);
  metrics?.watchPool(() => ({ busy: pool.totalCount - pool.idleCount, idle: pool.idleCount }));
  const adapter = new PrismaPg(pool, {
    schema,
    disposeExternalPool: true,
    // No name means that nothing is kept.
    statementNameGenerator: (query: Partial<OwnQuery>) => query.name as string,
  });
  const connect = adapter.connect.bind(adapter);
  adapter.connect = async () => {
    const driver = await connect();
    refuseAfterEnd(driver);
    return driver;
  };
  return connected(adapter, () => new PrismaClient({ adapter, ...OPTIONS }) as unknown as PrismaClient, metrics);
}

/** A query that did not come from the client. */
type OwnQuery = SqlQuery & Pick<Compiled, 'name'>;

/** Type of a value that the adapter passes on unchanged. */
const AS_IT_IS = { scalarType: 'unknown', arity: 'scalar' } as const;

async function connected(factory: Factory, newClient: () => PrismaClient, metrics?: DatabaseMetrics): Promise<Database> {
  let driver: SqlDriverAdapter | undefined;
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    driver = await connect();
    metrics?.watch(driver);
    return driver;
  };
  const client = newClient();
  await client.$connect();
  const dialect = factory.provider === 'sqlite' ? SQLITE : POSTGRESQL;
  const queryOf = ({ text, values, name }: Compiled): OwnQuery => ({
    sql: text,
    args: values,
    argTypes: values.map(() => AS_IT_IS),
    name,
  });
  const rows = {
    ...FROM_QUERY,
    dialect,
    $query: async (compiled: Compiled) => (await driver!.queryRaw(queryOf(compiled))).rows,
    $atomically: async (statements: Sql[]) => {
      const queries = statements.map((statement) => queryOf(dialect.compile(statement)));
      const run = () => (driver as SqliteAdapter).atomically(queries);
      const text = () => queries.map(({ sql }) => sql).join(';\n');
      return (await (metrics?.timed(text, run) ?? run())).map((result) => result.rows);
    },
  };
  const all: AllTenants = Object.assign(client, rows);
  const { blobPin, emailValidationCount, lease } = client;
  return {
    dialect,
    blobPin,
    emailValidationCount,
    lease,
    of: (tenantId) => tenantDatabase(all, tenantId),
    acrossTenants: () => all,
    checkCommits: dialect.pick({ sqlite: () => (driver as SqliteAdapter).check(PULSE), postgresql: async () => undefined }),
    $disconnect: () => client.$disconnect(),
  };
}
