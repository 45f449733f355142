// Room: Access tokens: their format, what they are bound to, and the cutoffs that end them.
import { Injectable } from '@nestjs/common';
import { type Signer, Signing } from '../signing/signer.js';
import { subjectOfRecipient } from './cutoffs.queries.js';

const PREFIX = 'pst_';
/** Maximum length of a token: it is sent with each request, and is cached. */
export const MAX_TOKEN_LENGTH = 4_096;
/** Maximum number of entries in the scope of a token, and of its origins. */
export const MAX_TOKEN_ENTRIES = 100;
export const MAX_ORIGINS = 10;
/** Lifetimes of a token. */
export const MIN_TOKEN_SECONDS = 60;
export const MAX_TOKEN_SECONDS = 86_400;

/** Content of a token, as issued. */
export interface TokenContent {
  id: string;
  tenantId: string;
  keyId: string;
  scope: string[];
  /** Milliseconds since 1970. */
  issuedAt: number;
  expiresAt: number;
  /** Only recipient whose pushes it may use. */
  recipient?: string;
  /** Beginning of the names of all files that it may use. */
  filePrefix?: string;
  /** Origins that browsers may send it from. */
  origins?: string[];
}

/** Content of a token that its MAC proves. */
export interface AccessToken extends TokenContent {
  /** Subjects whose cutoffs end it. */
  subjects: string[];
}

export const isAccessToken = (text: string): boolean => text.startsWith(PREFIX);

/** Returns what logs show of a token. */
export const tokenName = ({ id }: Pick<TokenContent, 'id'>): string => PREFIX + id;

/** Issues and verifies tokens, `pst_<payload>.<MAC>`. Every node with the secret accepts them, without a query. */
@Injectable()
export class AccessTokens {
  private readonly signer: Signer;

  constructor(signing: Signing) {
    this.signer = signing.for('access-token');
  }

  issue(content: TokenContent): string {
    const payload = Buffer.from(JSON.stringify(content)).toString('base64url');
    return `${PREFIX}${payload}.${this.signer.sign(payload)}`;
  }

  /** Returns the content of a token, or undefined if it is forged. The caller checks its expiry. */
  read(token: string): AccessToken | undefined {
    if (token.length > MAX_TOKEN_LENGTH) return undefined;
    const dot = token.indexOf('.');
    const payload = token.slice(PREFIX.length, dot);
    if (dot < 0 || !this.signer.verify(token.slice(dot + 1), payload)) return undefined;
    // The MAC proves that this class wrote the payload.
    const content = JSON.parse(Buffer.from(payload, 'base64url').toString()) as TokenContent;
    const { tenantId, keyId, recipient } = content;
    return { ...content, subjects: subjectsOf({ tenantId, keyId, recipient }) };
  }
}

/** Returns the subjects whose cutoffs end a token. */
export function subjectsOf({ tenantId, keyId, recipient }: Pick<TokenContent, 'tenantId' | 'keyId' | 'recipient'>): string[] {
  return [keyId, tenantId, ...(recipient === undefined ? [] : [subjectOfRecipient(tenantId, recipient)])];
}
