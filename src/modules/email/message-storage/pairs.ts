/** Header or tag of a message. */
export interface Pair {
  name: string;
  value: string;
}

/** Serializes headers or tags for a row, in order; null if empty. */
export function storedPairs(pairs: Pair[] | null | undefined): string | null {
  return pairs && pairs.length > 0 ? JSON.stringify(pairs.map(({ name, value }) => [name, value])) : null;
}

/** Parses headers or tags of a row. */
export function pairsOf(stored: string | null): Pair[] {
  if (stored === null) return [];
  return (JSON.parse(stored) as [string, string][]).map(([name, value]) => ({ name, value }));
}
