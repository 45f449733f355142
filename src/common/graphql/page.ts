import { Injectable } from '@nestjs/common';
import { badInput } from '../errors/app-error.js';
import { contentHash } from '../json/canonical-json.js';
import { type Signer, Signing } from '../signing/signer.js';

/** What a page holds when no limit is given, and at most. */
export const DEFAULT_LIMIT = 100;
export const MAX_LIMIT = 1_000;

/** What the description of a list that is read in steps says of the end of its pages. */
export const PAGE_END =
  'A page ends earlier where its rows reach 8 MiB, and, with what was found until then, perhaps nothing, when it was looked ' +
  'for during 3 s; as long as there is a nextToken, there can be more.';

/** What a cursor is bound to: it serves the same tenant, operation and filter only. */
export interface PageContext {
  tenantId: string;
  operation: string;
  filter: unknown;
}

export interface Page<T> {
  items: T[];
  /** Opaque; null at the end of the list. */
  nextToken: string | null;
}

/** Signed keyset cursors: a page begins after the last key of the one before, so no page costs more than the first. */
@Injectable()
export class Cursors {
  private readonly signer: Signer;

  constructor(signing: Signing) {
    this.signer = signing.for('cursor');
  }

  /** @throws BAD_USER_INPUT on a limit out of bounds. */
  limit(limit: number | null | undefined, max = MAX_LIMIT): number {
    if (limit === null || limit === undefined) return DEFAULT_LIMIT;
    if (limit < 1 || limit > max) throw badInput('limit', `must be from 1 to ${max}`);
    return limit;
  }

  /** The key after which the page begins, or nothing for the first. @throws BAD_USER_INPUT on any other token than ours. */
  after(nextToken: string | null | undefined, context: PageContext): string | undefined {
    if (nextToken === null || nextToken === undefined) return undefined;
    const [key = '', signature = '', ...rest] = nextToken.split('.');
    const decoded = Buffer.from(key, 'base64url').toString();
    const spelled = Buffer.from(decoded).toString('base64url') === key;
    if (!spelled || rest.length > 0 || !this.signer.verify(signature, decoded, ...bound(context))) {
      throw badInput('nextToken', 'must be the nextToken of the page before, with the same filter and key');
    }
    return decoded;
  }

  /** Makes a page of all of the rows; its token says where the next one begins: after the last row, or after a key. */
  page<T>(items: T[], more: boolean | string, keyOf: (row: T) => string, context: PageContext): Page<T> {
    const last = items.at(-1);
    if (more === false || (more === true && last === undefined)) return { items, nextToken: null };
    return { items, nextToken: this.token(more === true ? keyOf(last!) : more, context) };
  }

  /** The token of a page that begins after a key. */
  token(key: string, context: PageContext): string {
    return `${Buffer.from(key).toString('base64url')}.${this.signer.sign(key, ...bound(context))}`;
  }
}

function bound({ tenantId, operation, filter }: PageContext): string[] {
  return [tenantId, operation, contentHash(filter)];
}
