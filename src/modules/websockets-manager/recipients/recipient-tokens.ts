import { createHmac, type KeyObject, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type DerivedKey, isSameText, Signing } from '../../../common/signing/signer.js';

// Creates JWTs with node:crypto: JWT libraries sign on other threads and import the key each time, which took 29 % of a process that opened
// 12,000 connections.

/** Required header of tokens, optionally with the id of a known secret: no token can choose its algorithm. */
const PLAIN_HEADER = encoded({ alg: 'HS256' });
const headerOf = (kid: string): string => encoded({ alg: 'HS256', kid });
const FORM = /^([\w-]+\.[\w-]+)\.([\w-]{43})$/;

/** Claims of a token. */
export interface TokenContent {
  tenantId: string;
  recipient: string;
  topic: string | null;
  /** Topics and patterns; undefined for a token with a single topic. */
  topics?: string[];
  sourceIp: string | null;
  origin: string | null;
  /** True to close connections when the token expires. */
  closeOnExpiry: boolean;
  /** True if messages are DELIVERED when the client acknowledges them, not when its WebSocket answers a ping. */
  acknowledge: boolean;
  /** True to send frames of recipients that join and leave its topics. */
  presence?: true;
  /** True to accept marks of messages in the inbox, and to send the number of unread ones. */
  inbox?: true;
  /** Stored messages to send first: a number of each topic, and their maximum age. */
  rewind?: { messages: number; seconds: number };
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
  tps?: string[];
  prs?: true;
  ibx?: true;
  rwd?: [messages: number, seconds: number];
  ip: string | null;
  org: string | null;
  cls: boolean;
  ack: boolean;
  jti: string;
}

/**
 * Issues and verifies signed, self-contained tokens (JWT, RFC 7519), valid on every node with the secret. With several secrets, includes
 * the id of the signing secret, like `Signer`.
 */
@Injectable()
export class RecipientTokens {
  /** Header of new tokens. */
  private readonly header: string;
  private readonly key: KeyObject;
  /** Candidate keys by token header. */
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
    const { tenantId, recipient, topic, topics, sourceIp, origin, closeOnExpiry, acknowledge, presence, inbox, rewind } = content;
    const issuedAt = Date.now();
    const expiresAt = new Date(issuedAt + lifetimeSeconds * 1_000);
    const claims: Claims = {
      ten: tenantId,
      top: topic,
      tps: topics,
      prs: presence,
      ibx: inbox,
      rwd: rewind && [rewind.messages, rewind.seconds],
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

  /** Returns the content of a token, or undefined if it is forged or expired. */
  read(token: string): IssuedToken | undefined {
    const content = this.readExpired(token);
    return content && content.expiresAt > Date.now() ? content : undefined;
  }

  /** Returns the content of a token, expired or not, or undefined if it is forged. */
  readExpired(token: string): IssuedToken | undefined {
    const [, signed, mac] = FORM.exec(token) ?? [];
    if (!signed || !mac) return undefined;
    const [header, payload] = signed.split('.') as [string, string];
    if (!this.keys.get(header)?.some((key) => isSameText(mac, macOf(key, signed)))) return undefined;
    // The signature proves that this class wrote the payload.
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
    return {
      tenantId: claims.ten,
      recipient: claims.sub,
      topic: claims.top,
      topics: claims.tps,
      presence: claims.prs,
      inbox: claims.ibx,
      rewind: claims.rwd && { messages: claims.rwd[0], seconds: claims.rwd[1] },
      sourceIp: claims.ip,
      origin: claims.org,
      closeOnExpiry: claims.cls,
      acknowledge: claims.ack,
      issuedAt: Math.round(claims.iat * 1_000),
      expiresAt: Math.round(claims.exp * 1_000),
    };
  }
}

function macOf(key: KeyObject, signed: string): string {
  return createHmac('sha256', key).update(signed).digest('base64url');
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
