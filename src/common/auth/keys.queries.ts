import type { Database } from '../database/database.js';
import { raw, type Sql, sql } from '../database/sql/sql.js';
import type { BoundGrant } from '../signing/key-binding.js';

export interface KeyRow extends BoundGrant {
  id: string;
  prefix: string;
  isRevoked: boolean;
}

const TEXTS = ['id', 'prefix', 'hash', 'tenantId', 'scope', 'mac'].map((name) => `CAST("${name}" AS TEXT)`).join();

/** Finds a key by its hash. SQLite columns can hold values of any type: the cast turns them into text, which no MAC matches. */
export async function keyOfHash(database: Database, keyHash: string): Promise<KeyRow | undefined> {
  const everyKey = database.acrossTenants('the hash of a key is unique, and tells the tenant');
  const [row] = await everyKey.$cells(sql`SELECT ${columnsOf(database)} FROM "ApiKey" WHERE "hash" = ${keyHash}`);
  return row && asKey(row);
}

/** Returns unrevoked keys in id order, after the given id. */
export async function keysAfter(database: Database, id: string, limit: number): Promise<KeyRow[]> {
  const where = sql`"id" > ${id} AND "revokedAt" IS NULL`;
  const rows = await database
    .acrossTenants('all keys have one secret')
    .$cells(sql`SELECT ${columnsOf(database)} FROM "ApiKey" WHERE ${where} ORDER BY "id" LIMIT ${limit}`);
  return rows.map(asKey);
}

/** Key usage of a tenant. */
export interface KeyUse {
  /** Number of keys that are neither revoked nor expired. */
  activeKeys: number;
  /** Last use of any key, including expired and revoked ones. */
  lastUsedAt: Date | null;
}

/** Reads the key usage of many tenants in two statements. */
export async function keyUse(database: Database, tenantIds: string[]): Promise<(tenantId: string) => KeyUse> {
  const { apiKey } = database.acrossTenants('the operator sees the tenants of a page');
  const ofThese = { tenantId: { in: tenantIds } };
  const isActive = { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] };
  const [active, used] = await Promise.all([
    apiKey.groupBy({ by: ['tenantId'], where: { ...ofThese, ...isActive }, _count: true }),
    apiKey.groupBy({ by: ['tenantId'], where: ofThese, _max: { lastUsedAt: true } }),
  ]);
  const counts = new Map(active.map(({ tenantId, _count }) => [tenantId, _count]));
  const times = new Map(used.map(({ tenantId, _max }) => [tenantId, _max.lastUsedAt]));
  return (tenantId) => ({ activeKeys: counts.get(tenantId) ?? 0, lastUsedAt: times.get(tenantId) ?? null });
}

function columnsOf({ dialect }: Database): Sql {
  const expiresAt = dialect.pick({
    sqlite: 'CAST("expiresAt" AS INTEGER)',
    postgresql: dialect.milliseconds('"expiresAt"'),
  });
  return raw(`${TEXTS}, ${expiresAt}, "revokedAt" IS NOT NULL`);
}

function asKey(row: unknown[]): KeyRow {
  const [id, prefix, hash, tenantId, scope, mac] = row as [string, string, string, string, string, string];
  const [expiresAtMs, isRevoked] = row.slice(-2);
  const grant = { hash, tenantId, scope, mac, expiresAt: expiresAtMs === null ? null : new Date(Number(expiresAtMs)) };
  return { id, prefix, ...grant, isRevoked: Boolean(isRevoked) };
}
