import type { Database } from '../database/database.js';
import { raw, sql } from '../database/sql/sql.js';
import type { BoundGrant } from '../signing/key-binding.js';

interface StoredKey extends BoundGrant {
  id: string;
  prefix: string;
  isRevoked: boolean;
}

const TEXTS = ['id', 'prefix', 'hash', 'tenantId', 'scope', 'mac'].map((name) => `CAST("${name}" AS TEXT)`).join();

/** Finds a key by its hash. A column on SQLite can hold a value of another type: it is cast, and then fits no MAC. */
export async function keyOfHash({ $cells, dialect }: Database, keyHash: string): Promise<StoredKey | undefined> {
  const expiresAt = dialect.pick({
    sqlite: 'CAST("expiresAt" AS INTEGER)',
    postgresql: dialect.milliseconds('"expiresAt"'),
  });
  const columns = raw(`${TEXTS}, ${expiresAt}, "revokedAt" IS NOT NULL`);
  const [row] = await $cells(sql`SELECT ${columns} FROM "ApiKey" WHERE "hash" = ${keyHash}`);
  if (!row) return undefined;
  const [id, prefix, hash, tenantId, scope, mac] = row as [string, string, string, string, string, string];
  const [expiresAtMs, isRevoked] = row.slice(-2);
  const grant = { hash, tenantId, scope, mac, expiresAt: expiresAtMs === null ? null : new Date(Number(expiresAtMs)) };
  return { id, prefix, ...grant, isRevoked: Boolean(isRevoked) };
}
