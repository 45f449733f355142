import type { AnswerBudget } from '../scheduling/operation-budget.js';
import { eventLoop } from '../scheduling/event-loop.js';
import type { Rows } from '../database/rows.js';
import { type RowsUpTo, type SizedStatement, SMALL_BYTES, type Wanted } from '../database/sql/sized-rows.js';
import { PAGE_BYTES } from './page.js';

/** Builds a statement of a page. If a page has two, both are in the order of their first column. */
export type PageStatement = (limit: number, wanted: Wanted) => SizedStatement;

export interface PageWanted {
  limit: number;
  budget: AnswerBudget | undefined;
  /** Reads sizes first, for lists that load more per row than the statement returns. */
  sizesFirst?: boolean;
  /** Bytes already in the page from an earlier part. */
  heldBytes?: number;
  /** True if the first column ascends; it descends by default. */
  ascending?: boolean | undefined;
}

export interface PageRows {
  rows: unknown[][];
  /** Position of further rows: true after the last one, a text after this cursor, false if there are none. */
  more: boolean | string;
}

interface PartOfPage extends PageRows {
  bytes: number;
  more: boolean;
}

/**
 * Reads up to `limit` rows, but stops before they exceed PAGE_BYTES; an empty page gets one row of any size. Most pages are small and
 * take one statement; for others, the sizes are read and reserved first.
 * @throws like AnswerBudget
 */
export async function readPage(database: Rows, statements: PageStatement[], wanted: PageWanted): Promise<PartOfPage> {
  const { limit, budget, sizesFirst, heldBytes = 0, ascending } = wanted;
  const small = sizesFirst ? undefined : await readSmall(database, statements, { limit: limit + 1, heldBytes, ascending });
  if (small) {
    await budget?.reserve(small.bytes);
    const { rows, bytes } = small;
    return { rows: rows.slice(0, limit), bytes, more: rows.length > limit };
  }
  const { counts, bytes, more } = await fitting(database, statements, { limit, heldBytes, ascending });
  await budget?.reserve(bytes);
  const count = counts.reduce((sum, rowCount) => sum + rowCount, 0);
  if (count === 0) return { rows: [], bytes, more };
  // Reads one more row at the end of the list: a row inserted since the first read must not displace the last one.
  const parts = statements.map((statement, index) => statement(counts[index]! + (more ? 0 : 1), 'rows'));
  await eventLoop.yield();
  eventLoop.countRead(bytes);
  const rows = inOrder(await Promise.all(parts.map(({ statement }) => database.$cells(statement))), ascending);
  return { rows: rows.slice(0, count), bytes, more: more || rows.length > count };
}

interface Bounds {
  limit: number;
  heldBytes: number;
  ascending: boolean | undefined;
}

/** Reads all rows of the statements; returns undefined if they are large. */
export async function readSmall(
  database: Rows,
  statements: PageStatement[],
  { limit, heldBytes, ascending }: Bounds,
): Promise<{ rows: unknown[][]; bytes: number } | undefined> {
  const maxBytes = Math.min(SMALL_BYTES, PAGE_BYTES - heldBytes);
  const parts = await readUpTo(
    database,
    statements.map((statement) => statement(limit, 'small rows')),
    maxBytes,
  );
  if (parts.some(isCut(maxBytes))) return undefined;
  return {
    rows: inOrder(
      parts.map((part) => part.rows),
      ascending,
    ),
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** Reads the sizes of rows, and counts how many rows of each statement fit a page. */
async function fitting(database: Rows, statements: PageStatement[], { limit, heldBytes, ascending }: Bounds) {
  const sizes = await readUpTo(
    database,
    statements.map((statement) => statement(limit + 1, 'sizes')),
    PAGE_BYTES,
  );
  const keyed = sizes.map((part, index) => part.rows.map(([key, size]) => [key, Number(size), index] as const));
  const rows = inOrder(keyed, ascending);
  const counts = statements.map(() => 0);
  let [count, bytes] = [0, 0];
  for (const [, size, index] of rows.slice(0, limit)) {
    if (heldBytes + count > 0 && heldBytes + bytes + size > PAGE_BYTES) break;
    bytes += size;
    counts[index]!++;
    count++;
  }
  const isUnknown = count === rows.length && sizes.some(isCut(PAGE_BYTES)); // the read stopped at a row larger than a page
  if (!isUnknown) return { counts, bytes, more: rows.length > count };
  const next = await readUpTo(
    database,
    statements.map((statement) => statement(count + 1, 'sizes')),
    Number.MAX_SAFE_INTEGER,
  );
  return { counts, bytes, more: next.some(({ rows: upToNext }) => upToNext.length > count) };
}

async function readUpTo(database: Rows, statements: SizedStatement[], maxBytes: number): Promise<RowsUpTo[]> {
  while (eventLoop.readBudgetExceeded) await eventLoop.yield();
  return Promise.all(statements.map((statement) => database.$cellsUpTo(statement, maxBytes)));
}

const isCut =
  (maxBytes: number) =>
  ({ bytes }: RowsUpTo): boolean =>
    bytes > maxBytes;

/** Merges the rows of all statements into their common order. */
export function inOrder<T extends readonly unknown[]>(parts: T[][], ascending = false): T[] {
  if (parts.length === 1) return parts[0]!;
  return parts.flat().sort(([a], [b]) => (String(a) < String(b) === ascending ? -1 : 1));
}
