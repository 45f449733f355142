import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import type { PrismaClient } from '../../generated/sqlite/client.js';
import { postgresUpTo, type RowsUpTo, type SizedStatement, sqliteUpTo } from './sized-rows.js';

/**
 * The database of this node, on SQLite or PostgreSQL; also the injection token. Typed as the SQLite client, which is
 * the narrower of the two, so that what compiles runs on both.
 */
export abstract class PrismaService {}
export interface PrismaService extends PrismaClient {
  /**
   * Runs a statement past the client, and answers with its rows as the adapter of the database gives them. For many records
   * at once: the client writes large parameters as JSON once more and parses that, and looks at each value of an answer. Not
   * inside of a transaction.
   */
  $queryArrays(text: string, values: readonly unknown[]): Promise<unknown[][]>;
  /**
   * The same, of a statement whose rows may be large: nothing is loaded past the row with which they exceed the size. See
   * sized-rows.ts, which writes such statements.
   */
  $queryUpTo(statement: SizedStatement, maxBytes: number): Promise<RowsUpTo>;
}

/** Without the lines of source around a call: they are read from disk for each error, and a database that is gone has many. */
const ERROR_FORMAT = 'minimal';

interface Factory {
  readonly provider: string;
  connect(): Promise<SqlDriverAdapter>;
}

export async function connectPrisma(databaseUrl: string): Promise<PrismaService> {
  if (databaseUrl.startsWith('file:')) {
    const [{ PrismaClient }, { GatedSqliteAdapter }] = await Promise.all([
      import('../../generated/sqlite/client.js'),
      import('./sqlite-adapter.js'),
    ]);
    const adapter = new GatedSqliteAdapter({ url: databaseUrl }, { timestampFormat: 'unixepoch-ms' });
    return connected(adapter, () => new PrismaClient({ adapter, errorFormat: ERROR_FORMAT }));
  }
  const [{ PrismaClient }, { PrismaPg }, { BoundedPool }] = await Promise.all([
    import('../../generated/postgresql/client.js'),
    import('@prisma/adapter-pg'),
    import('./postgres-pool.js'),
  ]);
  const schema = new URL(databaseUrl).searchParams.get('schema') ?? undefined;
  const adapter = new PrismaPg(new BoundedPool(databaseUrl), { schema, disposeExternalPool: true });
  return connected(adapter, () => new PrismaClient({ adapter, errorFormat: ERROR_FORMAT }) as unknown as PrismaClient);
}

/** Of a value that the adapter hands on unchanged. */
const AS_IT_IS = { scalarType: 'unknown', arity: 'scalar' } as const;

async function connected(factory: Factory, newClient: () => PrismaClient): Promise<PrismaService> {
  let driver: SqlDriverAdapter | undefined;
  const connect = factory.connect.bind(factory);
  factory.connect = async () => (driver = await connect());
  const client = newClient();
  await client.$connect();
  const $queryArrays: PrismaService['$queryArrays'] = async (sql, values) => {
    const argTypes = values.map(() => AS_IT_IS);
    const { rows } = await driver!.queryRaw({ sql, args: [...values], argTypes });
    return rows;
  };
  const queryUpTo = factory.provider === 'sqlite' ? sqliteUpTo : postgresUpTo;
  const service = Object.assign(client, { $queryArrays }) as unknown as PrismaService;
  service.$queryUpTo = (statement, maxBytes) => queryUpTo(service.$queryArrays, statement, maxBytes);
  return service;
}
