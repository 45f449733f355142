import {
  type Columns,
  endOfStep,
  entryStatement,
  firstStepStatement,
  isExact,
  type Range,
  rowsStatement,
  type Walk,
} from '../database/sql/index-walks.js';
import type { Rows } from '../database/rows.js';
import { inOrder, type PageRows, type PageStatement, type PageWanted, readPage, readSmall } from './page-rows.js';
import { eventLoop } from '../scheduling/event-loop.js';
import { SEARCH_MS } from './page.js';

/** List in one order, with several filters that no single index serves together. */
export interface SteppedList extends Columns {
  /**
   * Indexes of each part of the list, one of which is read per step; the first step reads the first one. The rows of all parts are in
   * the order of their first column; the cursors of a list of two parts begin with that column.
   */
  parts: [Walk, ...Walk[]][];
  /** Returns a value that orders cursors as the list does. By default, cursors are ordered by their text. */
  placeOf?(cursor: string): number | string;
  /** Search time of a page, if not SEARCH_MS. */
  searchMs?: number | undefined;
}

interface SteppedPage extends PageWanted {
  /** Cursor after which the page begins. */
  after: string | undefined;
}

interface Step {
  walks: Walk[];
  range: Range;
}

/**
 * Reads a page like `readPage`, but at most STEP_ENTRIES entries of each index per step. Other work runs between steps, and each step
 * walks the index that gets furthest. After the search time, the page ends at the last step, with the rows found so far. A page
 * completed by the first step takes one statement.
 * @throws like AnswerBudget
 */
export async function readSteppedPage(database: Rows, list: SteppedList, given: SteppedPage): Promise<PageRows> {
  const page = { ...given, ascending: isAscending(list) };
  const { after, limit, ascending } = page;
  const walks = list.parts.map(([first]) => first);
  if (walks.every(isExact)) return readPage(database, statementsOf(list, { walks, range: { after } }), page);
  const endsAt = performance.now() + (list.searchMs ?? SEARCH_MS);
  const found: { rows: unknown[][]; bytes: number; end: string | undefined } = { rows: [], bytes: 0, end: after };
  const first = page.sizesFirst ? undefined : await firstStep(database, list, page);
  if (first) {
    if (first.rows.length > limit) return { rows: first.rows.slice(0, limit), more: true };
    if (first.end === undefined) return { rows: first.rows, more: false };
    Object.assign(found, first);
  }
  const sizesFirst = first === undefined;
  for (; found.rows.length < limit;) {
    if (found.end !== after) {
      if (performance.now() > endsAt) break;
      await eventLoop.yield();
    }
    const step = await furthestStep(database, list, found.end);
    const wanted = { limit: limit - found.rows.length, budget: page.budget, heldBytes: found.bytes, sizesFirst, ascending };
    const part = await readPage(database, statementsOf(list, step), wanted);
    found.rows.push(...part.rows);
    found.bytes += part.bytes;
    if (part.more) return { rows: found.rows, more: part.rows.length > 0 || found.end! };
    if (step.range.downTo === undefined) return { rows: found.rows, more: false };
    found.end = step.range.downTo;
  }
  return { rows: found.rows, more: found.end! };
}

function statementsOf(list: SteppedList, { walks, range }: Step): PageStatement[] {
  return walks.map((walk) => (limit, wanted) => rowsStatement(list, walk, range, limit, wanted));
}

/** Reads the rows of the first step and its end (undefined at the end of the list). Returns undefined if the rows are large. */
async function firstStep(database: Rows, list: SteppedList, { after, limit, budget, ascending }: SteppedPage) {
  const bounds = { limit: limit + 1, heldBytes: 0, ascending };
  const parts = await Promise.all(
    list.parts.map(([walk]) =>
      readSmall(database, [(rowLimit) => firstStepStatement(list, walk, { after }, rowLimit)], bounds).then(
        (part) => part && withEnd(part),
      ),
    ),
  );
  const small = parts.filter((part) => part !== undefined);
  if (small.length < parts.length) return undefined;
  const bytes = small.reduce((sum, part) => sum + part.bytes, 0);
  await budget?.reserve(bytes);
  const end = small.map((part) => part.end).reduce((a, b) => nearer(list, a, b));
  const rows = inOrder(
    small.map((part) => part.rows),
    ascending,
  );
  // Drops rows after the end up to which both parts were searched.
  return { rows: parts.length > 1 ? rows.filter((row) => isUpTo(list, row, end)) : rows, bytes, end };
}

function withEnd({ rows, bytes }: { rows: unknown[][]; bytes: number }) {
  const end = endOfStep(rows.at(-1));
  return { rows: end === undefined ? rows : rows.slice(0, -1), bytes, end };
}

function isUpTo(list: SteppedList, [first]: unknown[], end: string | undefined): boolean {
  if (end === undefined) return true;
  const [own, last] = [String(first), end.slice(0, String(first).length)];
  return isAscending(list) ? own <= last : own >= last;
}

const isAscending = ({ parts }: SteppedList): boolean => parts[0]![0].ascending === true;

/** Finds, for each part, the index that gets furthest in one step from a cursor. */
async function furthestStep(database: Rows, list: SteppedList, after: string | undefined): Promise<Step> {
  const steps = await Promise.all(
    list.parts.map(async (walks) => {
      const ends = await Promise.all(walks.map((walk) => endOf(database, list, walk, after)));
      const furthest = walks.map((walk, index) => ({ walk, end: ends[index] }));
      return furthest.reduce((a, b) => (a.end === undefined || nearer(list, a.end, b.end) === b.end ? a : b));
    }),
  );
  const downTo = steps.map(({ end }) => end).reduce((a, b) => nearer(list, a, b));
  return { walks: steps.map(({ walk }) => walk), range: { after, downTo } };
}

async function endOf(database: Rows, list: SteppedList, walk: Walk, after: string | undefined) {
  const [row] = await database.$cells(entryStatement(list, walk, { after }));
  return row?.[0] as string | undefined;
}

/** Returns the cursor that comes first in the list; undefined means the end of the list. */
function nearer(list: SteppedList, a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const [placeOfA, placeOfB] = [a, b].map((cursor) => list.placeOf?.(cursor) ?? cursor) as [string, string];
  return placeOfA >= placeOfB === !isAscending(list) ? a : b;
}
