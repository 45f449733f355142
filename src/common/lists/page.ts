// Room: Lists: pages by cursors, and counts per hour or day for charts.
import { asBytes, asSeconds, MIB } from '../base/amounts.js';
import { MAX_CONTAINED, MIN_CONTAINED } from '../base/text.js';

/** Default and maximum number of items in a page. */
export const DEFAULT_LIMIT = 100;
export const MAX_LIMIT = 1_000;
/** Size at which a page ends even if more rows follow. Also the size of one read. */
export const PAGE_BYTES = 8 * MIB;
/** Search time after which a page ends, even without items. */
export const SEARCH_MS = 3_000;
/** Search time for a text filter, whose user waits for each page. */
export const TEXT_SEARCH_MS = 250;

/** Description of where pages end, for lists that are read in steps. */
export const PAGE_END =
  `A page ends when its rows reach ${asBytes(PAGE_BYTES)}, or after a search of ${asSeconds(SEARCH_MS)} s, with the ` +
  'items found so far, possibly none. Continue while there is a nextToken.';

/** Description of filters by a part of a text. */
export const CONTAINS =
  `${MIN_CONTAINED} to ${MAX_CONTAINED} characters, in any letter case, without wildcards. A page then ends after a search of ` +
  `${asSeconds(TEXT_SEARCH_MS)} s, possibly without items: continue while there is a nextToken.`;

export interface Page<T> {
  items: T[];
  /** Opaque token; null at the end of the list. */
  nextToken: string | null;
}
