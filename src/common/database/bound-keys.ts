import type { KeyBinding } from '../signing/key-binding.js';
import type { Filling } from './migrator.js';
import { raw, sql } from './sql/sql.js';

/** The migration that added the column `mac`. Keys without a MAC are trusted only while it runs. */
export const BOUND_KEYS_MIGRATION = '20261122040000_bound_keys';

/** Gives existing keys their MACs when the column is added. */
export function bindOldKeys(binding: KeyBinding): Filling {
  return {
    rows: (dialect) =>
      sql`SELECT "id", "hash", "tenantId", "scope", ${raw(dialect.milliseconds('"expiresAt"'))} FROM "ApiKey" WHERE "revokedAt" IS NULL`,
    update: ([id, hash, tenantId, scope, expiresAtMs]) => {
      const grant = { hash: String(hash), tenantId: String(tenantId), scope: String(scope) };
      const mac = binding.macOf({ ...grant, expiresAt: expiresAtMs === null ? null : new Date(Number(expiresAtMs)) });
      return sql`UPDATE "ApiKey" SET "mac" = ${mac} WHERE "id" = ${id}`;
    },
  };
}
