import type { PrismaService } from '../database/prisma.service.js';
import { type RowsUpTo, type SizedStatement, SMALL_BYTES, type Wanted } from '../database/sized-rows.js';
import type { AnswerBudget } from './answer-budget.js';
import { isTurnOver, noteRead, ownTurn } from './read-turns.js';

/** Where a page ends though it could have more rows, and how much is read in one step. */
export const PAGE_BYTES = 8 * 1024 * 1024;

/** Makes the statement of a page. Those of a page of two are both in descending order of their first column. */
export type PageStatement = (limit: number, wanted: Wanted) => SizedStatement;

export interface PageWanted {
  limit: number;
  budget: AnswerBudget | undefined;
  /** That more is loaded for each row than the statement has: sizes are asked for first. */
  sizesFirst?: boolean;
  /** What the page has already, of an earlier part. */
  heldBytes?: number;
}

export interface PageRows {
  rows: unknown[][];
  /** Whether rows can come after them: after the last one, or, as a text, after the place of this cursor. */
  more: boolean | string;
}

interface PartOfPage extends PageRows {
  bytes: number;
  more: boolean;
}

/**
 * Reads up to `limit` rows, but ends before they have more than PAGE_BYTES; there is always one, if any, on a page that has
 * none yet. Most pages are small, and take one statement; of others the sizes are read first, and reserved.
 * @throws as AnswerBudget
 */
export async function readPage(prisma: PrismaService, statements: PageStatement[], wanted: PageWanted): Promise<PartOfPage> {
  const { limit, budget, sizesFirst, heldBytes = 0 } = wanted;
  const small = sizesFirst ? undefined : await readSmall(prisma, statements, { limit: limit + 1, heldBytes });
  if (small) {
    await budget?.reserve(small.bytes);
    const { rows, bytes } = small;
    return { rows: rows.slice(0, limit), bytes, more: rows.length > limit };
  }
  const { counts, bytes, more } = await fitting(prisma, statements, { limit, heldBytes });
  await budget?.reserve(bytes);
  const count = counts.reduce((sum, one) => sum + one, 0);
  if (count === 0) return { rows: [], bytes, more };
  // One more at the end of the list: a row that was written meanwhile must not push the last one out.
  const parts = statements.map((statement, index) => statement(counts[index]! + (more ? 0 : 1), 'rows'));
  await ownTurn();
  noteRead(bytes);
  const rows = inOrder(await Promise.all(parts.map(({ text, values }) => prisma.$queryArrays(text, values))));
  return { rows: rows.slice(0, count), bytes, more: more || rows.length > count };
}

interface Bounds {
  limit: number;
  heldBytes: number;
}

/** All that the statements find, if it is small. */
export async function readSmall(
  prisma: PrismaService,
  statements: PageStatement[],
  { limit, heldBytes }: Bounds,
): Promise<{ rows: unknown[][]; bytes: number } | undefined> {
  const maxBytes = Math.min(SMALL_BYTES, PAGE_BYTES - heldBytes);
  const parts = await readUpTo(
    prisma,
    statements.map((statement) => statement(limit, 'small rows')),
    maxBytes,
  );
  if (parts.some(isCut(maxBytes))) return undefined;
  return { rows: inOrder(parts.map((part) => part.rows)), bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** How many rows of each statement fit a page. */
async function fitting(prisma: PrismaService, statements: PageStatement[], { limit, heldBytes }: Bounds) {
  const sizes = await readUpTo(
    prisma,
    statements.map((statement) => statement(limit + 1, 'sizes')),
    PAGE_BYTES,
  );
  const rows = inOrder(sizes.map((part, index) => part.rows.map(([key, size]) => [key, Number(size), index] as const)));
  const counts = statements.map(() => 0);
  let [count, bytes] = [0, 0];
  for (const [, size, index] of rows.slice(0, limit)) {
    if (heldBytes + count > 0 && heldBytes + bytes + size > PAGE_BYTES) break;
    bytes += size;
    counts[index]!++;
    count++;
  }
  const isUnknown = count === rows.length && sizes.some(isCut(PAGE_BYTES)); // a row that is larger than a page
  if (!isUnknown) return { counts, bytes, more: rows.length > count };
  const next = await readUpTo(
    prisma,
    statements.map((statement) => statement(count + 1, 'sizes')),
    Number.MAX_SAFE_INTEGER,
  );
  return { counts, bytes, more: next.some(({ rows: upToNext }) => upToNext.length > count) };
}

async function readUpTo(prisma: PrismaService, statements: SizedStatement[], maxBytes: number): Promise<RowsUpTo[]> {
  while (isTurnOver()) await ownTurn();
  return Promise.all(statements.map((statement) => prisma.$queryUpTo(statement, maxBytes)));
}

const isCut =
  (maxBytes: number) =>
  ({ bytes }: RowsUpTo): boolean =>
    bytes > maxBytes;

/** The rows of all statements, as each of them alone is ordered. */
export function inOrder<T extends readonly unknown[]>(parts: T[][]): T[] {
  if (parts.length === 1) return parts[0]!;
  return parts.flat().sort(([a], [b]) => (String(a) < String(b) ? 1 : -1));
}
