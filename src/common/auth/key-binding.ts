import { Injectable } from '@nestjs/common';
import type { Filling } from '../database/migrator.js';
import { raw, sql } from '../database/sql.js';
import { type Signer, Signing } from '../signing/signer.js';

/** The migration that added the column `mac`. Keys without a MAC are trusted only while it runs. */
export const BOUND_KEYS_MIGRATION = '20261122040000_bound_keys';

/** The rights of a key: its tenant, scope and expiry. */
interface KeyGrant {
  hash: string;
  tenantId: string;
  scope: string;
  expiresAt: Date | null;
}

/** The rights of a key and the MAC that binds them. */
export interface BoundGrant extends KeyGrant {
  mac: string;
}

/**
 * Binds a key to its tenant, scope and expiry by a MAC. An intruder who can write to the database but does not hold SECRET_KEY
 * can neither create a key, nor move one to another tenant, nor widen one. Revoking a key removes its MAC, so clearing
 * `revokedAt` does not undo it.
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

  /** Gives existing keys their MACs when the column is added. */
  ofOldKeys(): Filling {
    return {
      rows: (dialect) =>
        sql`SELECT "id", "hash", "tenantId", "scope", ${raw(dialect.milliseconds('"expiresAt"'))} FROM "ApiKey" WHERE "revokedAt" IS NULL`,
      update: ([id, hash, tenantId, scope, expiresAtMs]) => {
        const grant = { hash: String(hash), tenantId: String(tenantId), scope: String(scope) };
        const mac = this.macOf({ ...grant, expiresAt: expiresAtMs === null ? null : new Date(Number(expiresAtMs)) });
        return sql`UPDATE "ApiKey" SET "mac" = ${mac} WHERE "id" = ${id}`;
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
