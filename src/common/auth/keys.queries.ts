import type { Database } from '../database/database.js';
import { raw, type Sql, sql } from '../database/sql/sql.js';
import type { BoundGrant } from '../signing/key-binding.js';

export interface KeyRow extends BoundGrant {
  id: string;
  prefix: string;
  isRevoked: boolean;
}

const TEXTS = ['id', 'prefix', 'hash', 'tenantId', 'scope', 'mac'].map((name) => `CAST("${name}" AS TEXT)`).join();

/**
 * Finds a key by its hash. A column on SQLite can hold a value of another type: the cast makes it a text, which no MAC matches.
 */
export async function keyOfHash(database: Database, keyHash: string): Promise<KeyRow | undefined> {
  const everyKey = database.acrossTenants('the hash of a key is unique, and tells the tenant');
  const [row] = await everyKey.$cells(sql`SELECT ${columnsOf(database)} FROM "ApiKey" WHERE "hash" = ${keyHash}`);
  return row && asKey(row);
}

/** Returns keys that are not revoked, by their ids, after another one. */
export async function keysAfter(database: Database, id: string, limit: number): Promise<KeyRow[]> {
  const where = sql`"id" > ${id} AND "revokedAt" IS NULL`;
  const rows = await database
    .acrossTenants('all keys have one secret')
    .$cells(sql`SELECT ${columnsOf(database)} FROM "ApiKey" WHERE ${where} ORDER BY "id" LIMIT ${limit}`);
  return rows.map(asKey);
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
