import { LRUCache } from 'lru-cache';

/** Texts of our statements come again and again; one with a list of parameters has a text for each length. */
const MAX_TEXTS = 500;
const known = new LRUCache<string, Places>({ max: MAX_TEXTS });

/** Where a statement names its tenant. */
interface Places {
  /** The indexes of the values that it compares with a column "tenantId". */
  compared: readonly number[];
  /** Whether it inserts rows with such a column, whose values can stand anywhere. */
  inserts: boolean;
}

export function tenantPlaces(text: string): Places {
  let places = known.get(text);
  if (!places) known.set(text, (places = placesIn(text)));
  return places;
}

/** Returns the tenant that a statement compares a column with first; undefined for a statement of no tenant, or of several. */
export function tenantOfStatement(text: string, values: readonly unknown[]): string | undefined {
  const [index] = tenantPlaces(text).compared;
  const value = index === undefined ? undefined : values[index];
  return typeof value === 'string' ? value : undefined;
}

/** PostgreSQL numbers parameters; SQLite takes them in order. Prisma quotes names of SQLite by backticks. */
function placesIn(text: string): Places {
  const numbered = [...text.matchAll(/"tenantId" = \$(\d+)/g)].map(([, number]) => Number(number) - 1);
  const inOrder = [...text.matchAll(/(["`]tenantId["`] = )?\?/g)].flatMap(([, compared], index) => (compared ? [index] : []));
  return { compared: [...numbered, ...inOrder], inserts: /\bINSERT INTO "\w+" \([^)]*"tenantId"/.test(text) };
}
