import { createHmac, type KeyObject, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isSameText, Signing } from '../../../common/signing/signer.js';

/** The only header that is accepted, so that no token chooses its algorithm. */
const HEADER = encoded({ alg: 'HS256' });
const FORM = /^([\w-]+\.[\w-]+)\.([\w-]{43})$/;

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

interface Claims {
  ten: string;
  sub: string;
  /** Seconds since 1970. */
  iat: number;
  exp: number;
  top: string | null;
  ip: string | null;
  org: string | null;
  cls: boolean;
  ack: boolean;
  jti: string;
}

/**
 * Issues and reads tokens: signed and self-contained (JWT, RFC 7519), valid on every node with the same SECRET_KEY. Libraries
 * sign on other threads, which costs more than the signature: after a restart thousands of tokens are read.
 */
@Injectable()
export class RecipientTokens {
  private readonly key: KeyObject;

  constructor(signing: Signing) {
    this.key = signing.macKey('recipient-token');
  }

  issue(content: TokenContent, lifetimeSeconds: number): { value: string; expiresAt: Date } {
    const { tenantId, recipient, topic, sourceIp, origin, closeOnExpiry, acknowledge } = content;
    const issuedAt = Date.now();
    const expiresAt = new Date(issuedAt + lifetimeSeconds * 1_000);
    const claims: Claims = {
      ten: tenantId,
      top: topic,
      ip: sourceIp,
      org: origin,
      cls: closeOnExpiry,
      ack: acknowledge,
      sub: recipient,
      iat: issuedAt / 1_000,
      exp: expiresAt.getTime() / 1_000,
      jti: randomUUID(),
    };
    const signed = `${HEADER}.${encoded(claims)}`;
    return { value: `${signed}.${this.mac(signed)}`, expiresAt };
  }

  /** Returns undefined for a token that is foreign, changed or expired. */
  read(token: string): IssuedToken | undefined {
    const [, signed, mac] = FORM.exec(token) ?? [];
    if (!signed || !mac || !isSameText(mac, this.mac(signed))) return undefined;
    const [header, payload] = signed.split('.') as [string, string];
    if (header !== HEADER) return undefined;
    // Only what this class wrote has this signature.
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
    const expiresAt = Math.round(claims.exp * 1_000);
    if (expiresAt <= Date.now()) return undefined;
    return {
      tenantId: claims.ten,
      recipient: claims.sub,
      topic: claims.top,
      sourceIp: claims.ip,
      origin: claims.org,
      closeOnExpiry: claims.cls,
      acknowledge: claims.ack,
      issuedAt: Math.round(claims.iat * 1_000),
      expiresAt,
    };
  }

  private mac(signed: string): string {
    return createHmac('sha256', this.key).update(signed).digest('base64url');
  }
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
