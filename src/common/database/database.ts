import type { SqlDriverAdapter, SqlQuery } from '@prisma/driver-adapter-utils';
import { serversOf } from '../config/setting-rules.js';
import type { PrismaClient } from '../../generated/sqlite/client.js';
import type { DatabaseMetrics } from './database-metrics.js';
import { FROM_QUERY, type Rows } from './rows.js';
import { type Compiled, type Dialect, POSTGRESQL, SQLITE } from './sql/dialect.js';
import type { Sql } from './sql/sql.js';
import type { SqliteAdapter } from './sqlite/sqlite-adapter.js';
import { parentRows, type TenantDatabase, tenantDatabase, type TenantReader } from './tenant-database.js';
import type { SharedModels } from './tenant-models.js';

/** Client for raw statements, also within a transaction. */
export type Statements = Pick<PrismaClient, '$queryRaw' | '$executeRaw'>;

/** Rows of all tenants. Typed as the SQLite client, the narrower of the two, so that compiled code runs on both. */
export type AllTenants = PrismaClient & Rows;

/** Transaction over the rows of all tenants, as its callback receives it. */
export type AllTenantsTransaction = Parameters<Parameters<PrismaClient['$transaction']>[0]>[0];

/**
 * Database of this node, SQLite or PostgreSQL; also the injection token. It gives access to rows only by `of`, for one tenant, by
 * `ofParent`, for its children, and by `acrossTenants`, for jobs and the operator.
 */
export abstract class Database {}
export interface Database extends SharedModels {
  readonly dialect: Dialect;
  /** Returns the rows of one tenant. */
  of(tenantId: string): TenantDatabase;
  /** Returns the rows of a parent, read only. For ParentTenants alone, which knows whose parent it is. */
  ofParent(tenantId: string): TenantReader;
  /** Returns the rows of all tenants. The reason says why no single tenant can be named. */
  acrossTenants(reason: string): AllTenants;
  /** Rejects while acknowledged changes are uncommitted. For SQLite, where all callers share one connection. */
  checkCommits(): Promise<void>;
  $disconnect(): Promise<void>;
}

/** Query of rows that change every few seconds, so an uncommitted change soon shows. */
const PULSE = 'SELECT "name", "holder", "expiresAt" FROM "Lease" ORDER BY "name"';

/** Exceeds the limits of connecting plus a statement. Those expire first, and they count answers that arrived during a pause. */
const TRANSACTION_MS = 12_000;
const OPTIONS = {
  /** Omits source lines around a call: they are read from disk for each error, and a lost database causes many. */
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
    // Without a name, the statement is not cached.
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

/** Query that bypasses the client. */
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
  const { blobPin, emailValidationCount, lease, session } = client;
  return {
    dialect,
    blobPin,
    emailValidationCount,
    lease,
    session,
    of: (tenantId) => tenantDatabase(all, tenantId),
    ofParent: (tenantId) => parentRows(all, tenantId),
    acrossTenants: () => all,
    checkCommits: dialect.pick({ sqlite: () => (driver as SqliteAdapter).check(PULSE), postgresql: async () => undefined }),
    $disconnect: () => client.$disconnect(),
  };
}
