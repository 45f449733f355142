// Room: Pages of lists by cursors, and counts for charts by hour and day.
import { asBytes, asSeconds, MIB } from '../base/amounts.js';
import { MAX_CONTAINED, MIN_CONTAINED } from '../base/text.js';

/** Items of a page by default, and at most. */
export const DEFAULT_LIMIT = 100;
export const MAX_LIMIT = 1_000;
/** Size at which a page ends even if more rows follow, and size of one read. */
export const PAGE_BYTES = 8 * MIB;
/** How long a page searches before it ends, even if it found nothing. */
export const SEARCH_MS = 3_000;
/** The same for a part of a text: whoever types it waits for each page. */
export const TEXT_SEARCH_MS = 250;

/** Part of the descriptions of lists that are read in steps: where their pages end. */
export const PAGE_END =
  `A page ends early when its rows reach ${asBytes(PAGE_BYTES)}, or after a search of ${asSeconds(SEARCH_MS)} s, with the ` +
  'items found by then, perhaps none. As long as there is a nextToken, there can be more.';

/** Part of the descriptions of filters by a part of a text. */
export const CONTAINS =
  `${MIN_CONTAINED} to ${MAX_CONTAINED} characters, in any letter case; % and _ mean themselves. A page then ends after a search of ` +
  `${asSeconds(TEXT_SEARCH_MS)} s, perhaps with no items: read on as long as there is a nextToken.`;

export interface Page<T> {
  items: T[];
  /** Opaque; null at the end of the list. */
  nextToken: string | null;
}
