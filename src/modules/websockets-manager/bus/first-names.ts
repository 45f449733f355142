import type { NamesWanted } from './bus.js';

/** Finds the first names in order in one pass: sorting all names for each page would block the event loop. */
export function firstNames(names: Iterable<string>, { after, limit }: NamesWanted): string[] {
  let first: string[] = [];
  let last: string | undefined;
  for (const name of names) {
    if ((after !== undefined && name <= after) || (last !== undefined && name >= last)) continue;
    first.push(name);
    if (first.length < 2 * limit) continue;
    first = first.sort().slice(0, limit);
    last = first.at(-1);
  }
  return first.sort().slice(0, limit);
}
