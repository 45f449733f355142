import { createHmac, type KeyObject, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type DerivedKey, isSameText, Signing } from '../../../common/signing/signer.js';

// Tokens are JWTs, made with node:crypto: the library for them signs on other threads and imports the key each time, which took
// 29 % of a process that opened 12,000 connections.

/** Tokens must have exactly this header, or the same with the id of a known secret, so that no token can choose its algorithm. */
const PLAIN_HEADER = encoded({ alg: 'HS256' });
const headerOf = (kid: string): string => encoded({ alg: 'HS256', kid });
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
 * Issues and reads tokens, which are signed and self-contained (JWT, RFC 7519) and valid on every node that knows the secret.
 * Like `Signer`, a node with several secrets puts the id of the signing secret into the token. No JWT library is used: libraries
 * sign on other threads, which costs more than the signature, and after a restart thousands of tokens are read.
 */
@Injectable()
export class RecipientTokens {
  /** The header and the key of new tokens. */
  private readonly header: string;
  private readonly key: KeyObject;
  /** The keys that can have signed a token, by the header of the token. */
  private readonly keys: Map<string, KeyObject[]>;

  constructor(signing: Signing) {
    const keys = signing.macKeys('recipient-token');
    const [{ id, key }] = keys as [DerivedKey];
    this.key = key;
    this.header = keys.length === 1 ? PLAIN_HEADER : headerOf(id);
    this.keys = new Map([[PLAIN_HEADER, keys.map((one) => one.key)]]);
    for (const one of keys) this.keys.set(headerOf(one.id), [...(this.keys.get(headerOf(one.id)) ?? []), one.key]);
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
    const signed = `${this.header}.${encoded(claims)}`;
    return { value: `${signed}.${macOf(this.key, signed)}`, expiresAt };
  }

  /** Returns the content of a token, or undefined if the token was not issued here, was changed or has expired. */
  read(token: string): IssuedToken | undefined {
    const [, signed, mac] = FORM.exec(token) ?? [];
    if (!signed || !mac) return undefined;
    const [header, payload] = signed.split('.') as [string, string];
    if (!this.keys.get(header)?.some((key) => isSameText(mac, macOf(key, signed)))) return undefined;
    // The signature shows that this class wrote the payload, so its form is known.
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
}

function macOf(key: KeyObject, signed: string): string {
  return createHmac('sha256', key).update(signed).digest('base64url');
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
