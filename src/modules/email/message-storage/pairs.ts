/** A header or a tag of a message. */
export interface Pair {
  name: string;
  value: string;
}

/** Writes headers or tags as a row has them: in their order, and null without any. */
export function storedPairs(pairs: Pair[] | null | undefined): string | null {
  return pairs && pairs.length > 0 ? JSON.stringify(pairs.map(({ name, value }) => [name, value])) : null;
}

/** Reads headers or tags of a row. */
export function pairsOf(stored: string | null): Pair[] {
  if (stored === null) return [];
  return (JSON.parse(stored) as [string, string][]).map(([name, value]) => ({ name, value }));
}
