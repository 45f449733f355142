import { Injectable } from '@nestjs/common';
import type { Filling } from '../database/migrator.js';
import { type Signer, Signing } from '../signing/signer.js';

/** The migration that added the column, and the only moment at which keys without a MAC are believed. */
export const BOUND_KEYS_MIGRATION = '20261122040000_bound_keys';

/** What a key may do, for whom and until when. */
interface KeyGrant {
  hash: string;
  tenantId: string;
  scope: string;
  expiresAt: Date | null;
}

/** The same, and what binds it. */
export interface BoundGrant extends KeyGrant {
  mac: string;
}

/**
 * Binds a key to its tenant, scope and expiry: whoever can write to the database but does not hold SECRET_KEY can neither make
 * a key, nor move one to another tenant, nor widen it. Revoking takes the MAC away, so it cannot be undone there either.
 */
@Injectable()
export class KeyBinding {
  private readonly signer: Signer;

  constructor(signing: Signing) {
    this.signer = signing.for('api-key');
  }

  macOf(grant: KeyGrant): string {
    return this.signer.sign(...partsOf(grant));
  }

  isBound({ mac, ...grant }: BoundGrant): boolean {
    return this.signer.verify(mac, ...partsOf(grant));
  }

  /** Gives the keys that there are when the column is added their MACs. */
  ofOldKeys(isPostgres: boolean): Filling {
    const expiresAt = isPostgres ? '(extract(epoch FROM "expiresAt") * 1000)::float8' : '"expiresAt"';
    return {
      rows: `SELECT "id", "hash", "tenantId", "scope", ${expiresAt} FROM "ApiKey" WHERE "revokedAt" IS NULL`,
      update: ([id, hash, tenantId, scope, expiresAtMs], sql) => {
        const grant = { hash: String(hash), tenantId: String(tenantId), scope: String(scope) };
        const mac = this.macOf({ ...grant, expiresAt: expiresAtMs === null ? null : new Date(Number(expiresAtMs)) });
        return `UPDATE "ApiKey" SET "mac" = ${sql.value(mac)} WHERE "id" = ${sql.value(id)}`;
      },
    };
  }
}

const partsOf = ({ hash, tenantId, scope, expiresAt }: KeyGrant): string[] => [
  hash,
  tenantId,
  scope,
  String(expiresAt?.getTime() ?? 'never'),
];
