/** Items of a page by default, and at most. */
export const DEFAULT_LIMIT = 100;
export const MAX_LIMIT = 1_000;

/** Part of the descriptions of lists that are read in steps: where their pages end. */
export const PAGE_END =
  'A page ends early when its rows reach 8 MiB, or after a search of 3 s, with the items found by then, perhaps none. As long ' +
  'as there is a nextToken, there can be more.';

export interface Page<T> {
  items: T[];
  /** Opaque; null at the end of the list. */
  nextToken: string | null;
}
