import { Injectable } from '@nestjs/common';
import { type Signer, Signing } from './signer.js';

/** Rights of a key: its tenant, scope and expiry. */
interface KeyGrant {
  hash: string;
  tenantId: string;
  scope: string;
  expiresAt: Date | null;
}

/** Rights of a key, and the MAC that binds them. */
export interface BoundGrant extends KeyGrant {
  mac: string;
}

/**
 * Binds a key to its tenant, scope and expiry by a MAC. An intruder with write access to the database but no secret can neither create a
 * key, nor move it to another tenant, nor widen its scope. Revoking a key removes its MAC, so clearing `revokedAt` does not
 * undo it.
 */
@Injectable()
export class KeyBinding {
  private readonly signer: Signer;

  constructor(private readonly signing: Signing) {
    this.signer = signing.for('api-key');
  }

  /** Id of the secret that keys are bound to. */
  get currentId(): string {
    return this.signing.currentId;
  }

  macOf(grant: KeyGrant): string {
    return this.signer.sign(...partsOf(grant));
  }

  isBound({ mac, ...grant }: BoundGrant): boolean {
    return this.signer.verify(mac, ...partsOf(grant));
  }

  /** Returns the id of the secret that a key is bound to; undefined for a secret unknown to this node. */
  boundTo({ mac, ...grant }: BoundGrant): string | undefined {
    return this.signer.signedWith(mac, ...partsOf(grant));
  }
}

const partsOf = ({ hash, tenantId, scope, expiresAt }: KeyGrant): string[] => [
  hash,
  tenantId,
  scope,
  String(expiresAt?.getTime() ?? 'never'),
];
