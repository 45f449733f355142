import { Injectable } from '@nestjs/common';
import { badInput } from '../base/app-error.js';
import { contentHash } from '../base/json.js';
import { type Signer, Signing } from '../signing/signer.js';
import { DEFAULT_LIMIT, MAX_LIMIT, type Page } from './page.js';

/** Context of a cursor, which is valid only for the same tenant, operation and filter. */
export interface PageContext {
  tenantId: string;
  operation: string;
  filter: unknown;
}

/** Signed keyset cursors. A page begins after the last key of the previous page, so no page costs more than the first. */
@Injectable()
export class Cursors {
  private readonly signer: Signer;

  constructor(signing: Signing) {
    this.signer = signing.for('cursor');
  }

  /** Returns the limit, or the default. @throws BAD_USER_INPUT for a limit out of bounds */
  limit(limit: number | null | undefined, max = MAX_LIMIT): number {
    if (limit === null || limit === undefined) return DEFAULT_LIMIT;
    if (limit < 1 || limit > max) throw badInput('limit', `must be from 1 to ${max}`);
    return limit;
  }

  /** Returns the key after which the page begins; undefined for the first page. @throws BAD_USER_INPUT for an invalid token */
  after(nextToken: string | null | undefined, context: PageContext): string | undefined {
    if (nextToken === null || nextToken === undefined) return undefined;
    const [key = '', signature = '', ...rest] = nextToken.split('.');
    const decoded = Buffer.from(key, 'base64url').toString();
    const isCanonical = Buffer.from(decoded).toString('base64url') === key;
    if (!isCanonical || rest.length > 0 || !this.signer.verify(signature, decoded, ...bound(context))) {
      throw badInput('nextToken', 'must be the nextToken of the previous page, with the same filter and key');
    }
    return decoded;
  }

  /** Creates a page of all the rows. Its token refers to the position after the last row, or after the key in `more`. */
  page<T>(items: T[], more: boolean | string, keyOf: (row: T) => string, context: PageContext): Page<T> {
    const last = items.at(-1);
    if (more === false || (more === true && last === undefined)) return { items, nextToken: null };
    return { items, nextToken: this.token(more === true ? keyOf(last!) : more, context) };
  }

  /** Creates a page of the first rows by id. Expects one row more than `limit` if more rows follow. */
  firstOf<T extends { id: string }>(found: T[], limit: number, context: PageContext): Page<T> {
    return this.page(found.slice(0, limit), found.length > limit, ({ id }) => id, context);
  }

  /** Creates the token of a page that begins after a key. */
  token(key: string, context: PageContext): string {
    return `${Buffer.from(key).toString('base64url')}.${this.signer.sign(key, ...bound(context))}`;
  }
}

function bound({ tenantId, operation, filter }: PageContext): string[] {
  return [tenantId, operation, contentHash(filter)];
}
