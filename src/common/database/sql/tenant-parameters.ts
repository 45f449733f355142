import { LRUCache } from 'lru-cache';

/** Maximum number of cached texts. Most texts recur; one with a list of parameters has a text for each length. */
const MAX_TEXTS = 500;
const known = new LRUCache<string, TenantParameters>({ max: MAX_TEXTS });

/** Parameters that hold the tenant of a statement. */
interface TenantParameters {
  /** Indexes of the values compared with a column "tenantId". */
  compared: readonly number[];
  /** True for an INSERT with a column "tenantId", whose values can be at any position. */
  inserts: boolean;
}

export function tenantParameters(text: string): TenantParameters {
  let parameters = known.get(text);
  if (!parameters) known.set(text, (parameters = parametersIn(text)));
  return parameters;
}

/** Returns the first tenant that a statement compares a column with; undefined for a statement of no tenant, or of several. */
export function tenantOfStatement(text: string, values: readonly unknown[]): string | undefined {
  const [index] = tenantParameters(text).compared;
  const value = index === undefined ? undefined : values[index];
  return typeof value === 'string' ? value : undefined;
}

/** Finds the positions. PostgreSQL numbers parameters, SQLite uses their order. Prisma quotes SQLite names by backticks. */
function parametersIn(text: string): TenantParameters {
  const numbered = [...text.matchAll(/"tenantId" = \$(\d+)/g)].map(([, number]) => Number(number) - 1);
  const inOrder = [...text.matchAll(/(["`]tenantId["`] = )?\?/g)].flatMap(([, compared], index) => (compared ? [index] : []));
  return { compared: [...numbered, ...inOrder], inserts: /\bINSERT INTO "\w+" \([^)]*"tenantId"/.test(text) };
}
