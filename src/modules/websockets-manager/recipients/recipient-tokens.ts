import { createSecretKey, type KeyObject, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { jwtVerify, SignJWT } from 'jose';
import { Signing } from '../../../common/signing/signer.js';

const ALGORITHM = 'HS256';

/** The claims of a token. */
export interface TokenContent {
  tenantId: string;
  recipient: string;
  topic: string | null;
  sourceIp: string | null;
  origin: string | null;
  /** Connections opened with the token end when it expires. */
  closeOnExpiry: boolean;
  /** Messages are DELIVERED when the client acknowledges them, not when its WebSocket answers a ping. */
  acknowledge: boolean;
}

export interface IssuedToken extends TokenContent {
  /** Milliseconds since 1970. */
  issuedAt: number;
  expiresAt: number;
}

/** Issues and reads tokens: signed and self-contained (JWT, RFC 7519), valid on every node with the same SECRET_KEY. */
@Injectable()
export class RecipientTokens {
  private readonly key: KeyObject;

  constructor(signing: Signing) {
    this.key = createSecretKey(signing.key('recipient-token'));
  }

  async issue(content: TokenContent, lifetimeSeconds: number): Promise<{ value: string; expiresAt: Date }> {
    const { tenantId, recipient, topic, sourceIp, origin, closeOnExpiry, acknowledge } = content;
    const issuedAt = Date.now();
    const expiresAt = new Date(issuedAt + lifetimeSeconds * 1_000);
    const value = await new SignJWT({
      ten: tenantId,
      top: topic,
      ip: sourceIp,
      org: origin,
      cls: closeOnExpiry,
      ack: acknowledge,
    })
      .setProtectedHeader({ alg: ALGORITHM })
      .setSubject(recipient)
      .setIssuedAt(issuedAt / 1_000)
      .setExpirationTime(expiresAt.getTime() / 1_000)
      .setJti(randomUUID())
      .sign(this.key);
    return { value, expiresAt };
  }

  /** Returns undefined for a token that is foreign, changed or expired. */
  async read(token: string): Promise<IssuedToken | undefined> {
    try {
      const { payload } = await jwtVerify(token, this.key, {
        algorithms: [ALGORITHM],
        requiredClaims: ['sub', 'iat', 'exp', 'ten'],
      });
      const text = (claim: unknown) => (typeof claim === 'string' ? claim : null);
      return {
        tenantId: String(payload.ten),
        recipient: String(payload.sub),
        topic: text(payload.top),
        sourceIp: text(payload.ip),
        origin: text(payload.org),
        closeOnExpiry: payload.cls === true,
        acknowledge: payload.ack === true,
        issuedAt: Math.round(Number(payload.iat) * 1_000),
        expiresAt: Math.round(Number(payload.exp) * 1_000),
      };
    } catch {
      return undefined;
    }
  }
}
