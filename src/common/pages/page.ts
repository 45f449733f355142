import { asBytes, asSeconds, MIB } from '../validation/amounts.js';
/** Items of a page by default, and at most. */
export const DEFAULT_LIMIT = 100;
export const MAX_LIMIT = 1_000;
/** Size at which a page ends even if more rows follow, and size of one read. */
export const PAGE_BYTES = 8 * MIB;
/** How long a page searches before it ends, even if it found nothing. */
export const SEARCH_MS = 3_000;

/** Part of the descriptions of lists that are read in steps: where their pages end. */
export const PAGE_END =
  `A page ends early when its rows reach ${asBytes(PAGE_BYTES)}, or after a search of ${asSeconds(SEARCH_MS)} s, with the ` +
  'items found by then, perhaps none. As long as there is a nextToken, there can be more.';

export interface Page<T> {
  items: T[];
  /** Opaque; null at the end of the list. */
  nextToken: string | null;
}
