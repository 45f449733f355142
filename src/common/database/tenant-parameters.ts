import { LRUCache } from 'lru-cache';
import type { Compiled } from './sql/dialect.js';

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

/**
 * Refuses a statement that compares no `"tenantId"` with this tenant, and inserts no row of it.
 * @throws Error with the statement, without its values
 */
export function requireTenant({ text, values }: Pick<Compiled, 'text' | 'values'>, tenantId: string): void {
  let places = known.get(text);
  if (!places) known.set(text, (places = placesIn(text)));
  if (places.compared.some((index) => values[index] === tenantId)) return;
  if (places.inserts && values.includes(tenantId)) return;
  throw new Error(`a statement of one tenant compares no "tenantId" with that tenant: ${text}`);
}

/** PostgreSQL numbers parameters; SQLite takes them in order. */
function placesIn(text: string): Places {
  const numbered = [...text.matchAll(/"tenantId" = \$(\d+)/g)].map(([, number]) => Number(number) - 1);
  const inOrder = [...text.matchAll(/("tenantId" = )?\?/g)].flatMap(([, compared], index) => (compared ? [index] : []));
  return { compared: [...numbered, ...inOrder], inserts: /\bINSERT INTO "\w+" \([^)]*"tenantId"/.test(text) };
}
