import type { PrismaClient } from '../../generated/sqlite/client.js';

/**
 * The database of this node, on SQLite or PostgreSQL; also the injection token. Typed as the SQLite client, which is
 * the narrower of the two, so that what compiles runs on both.
 */
export abstract class PrismaService {}
export interface PrismaService extends PrismaClient {}

export async function connectPrisma(databaseUrl: string): Promise<PrismaService> {
  if (databaseUrl.startsWith('file:')) {
    const [{ PrismaClient }, { GatedSqliteAdapter }] = await Promise.all([
      import('../../generated/sqlite/client.js'),
      import('./sqlite-adapter.js'),
    ]);
    const adapter = new GatedSqliteAdapter({ url: databaseUrl }, { timestampFormat: 'unixepoch-ms' });
    return connected(new PrismaClient({ adapter }));
  }
  const [{ PrismaClient }, { PrismaPg }] = await Promise.all([
    import('../../generated/postgresql/client.js'),
    import('@prisma/adapter-pg'),
  ]);
  const schema = new URL(databaseUrl).searchParams.get('schema') ?? undefined;
  const pool = { connectionString: databaseUrl, max: 20, connectionTimeoutMillis: 5_000, idleTimeoutMillis: 60_000 };
  const adapter = new PrismaPg(pool, { schema });
  return connected(new PrismaClient({ adapter }) as unknown as PrismaClient);
}

async function connected(client: PrismaClient): Promise<PrismaService> {
  await client.$connect();
  return client as PrismaService;
}
