import type { PrismaService } from '../database/prisma.service.js';
import { SqlValues } from '../database/sql-values.js';
import type { BoundGrant } from './key-binding.js';

interface StoredKey extends BoundGrant {
  id: string;
  prefix: string;
  isRevoked: boolean;
}

const TEXTS = ['id', 'prefix', 'hash', 'tenantId', 'scope', 'mac'].map((name) => `CAST("${name}" AS TEXT)`).join();

/** The key of a hash. On SQLite other values can stand where texts and times should: they are read as such, and fit no MAC. */
export async function keyOfHash(prisma: PrismaService, isPostgres: boolean, given: string): Promise<StoredKey | undefined> {
  const sql = new SqlValues(isPostgres);
  const expiresAt = isPostgres ? '(extract(epoch FROM "expiresAt") * 1000)::float8' : 'CAST("expiresAt" AS INTEGER)';
  const where = `"hash" = ${sql.value(given)}`;
  const [row] = await prisma.$queryArrays(
    `SELECT ${TEXTS}, ${expiresAt}, "revokedAt" IS NOT NULL FROM "ApiKey" WHERE ${where}`,
    sql.values,
  );
  if (!row) return undefined;
  const [id, prefix, hash, tenantId, scope, mac] = row as [string, string, string, string, string, string];
  const [expiresAtMs, isRevoked] = row.slice(-2);
  const grant = { hash, tenantId, scope, mac, expiresAt: expiresAtMs === null ? null : new Date(Number(expiresAtMs)) };
  return { id, prefix, ...grant, isRevoked: Boolean(isRevoked) };
}
