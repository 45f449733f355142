import {
  type Columns,
  endOfStep,
  entryStatement,
  firstStepStatement,
  isExact,
  type Range,
  rowsStatement,
  type Walk,
} from '../database/index-walks.js';
import type { PrismaService } from '../database/prisma.service.js';
import { inOrder, type PageRows, type PageStatement, type PageWanted, readPage, readSmall } from './page-rows.js';
import { ownTurn } from './read-turns.js';

/** A page ends, though it may have found nothing, once it has looked for so long. */
const LOOK_MS = 3_000;

/** A list, newest first, that filters can be given for of which no one index serves all. */
export interface SteppedList extends Columns {
  /**
   * Of each part of the list, the indexes that it can be walked by; one is walked, at first the first. The rows of all parts
   * are in descending order of their first column, with which the cursors of a list of two parts begin.
   */
  parts: [Walk, ...Walk[]][];
  /** What puts cursors in the order of the list; left out, their text does. */
  placeOf?(cursor: string): number | string;
}

interface SteppedPage extends PageWanted {
  /** The cursor after which the page begins. */
  after: string | undefined;
}

interface Step {
  walks: Walk[];
  range: Range;
}

/**
 * Reads a page as `readPage` does, but looks at no more than STEP_ENTRIES entries of each index at a time. Between such steps
 * everything else has its turn, and each step walks the index by which it gets furthest. After LOOK_MS the page ends, with
 * what was found, where the last step did. A page that the first step finds is one statement.
 * @throws as AnswerBudget
 */
export async function readSteppedPage(prisma: PrismaService, list: SteppedList, page: SteppedPage): Promise<PageRows> {
  const { after, limit } = page;
  const walks = list.parts.map(([first]) => first);
  if (walks.every(isExact)) return readPage(prisma, statementsOf(list, { walks, range: { after } }), page);
  const endsAt = performance.now() + LOOK_MS;
  const found: { rows: unknown[][]; bytes: number; end: string | undefined } = { rows: [], bytes: 0, end: after };
  const first = page.sizesFirst ? undefined : await firstStep(prisma, list, page);
  if (first) {
    if (first.rows.length > limit) return { rows: first.rows.slice(0, limit), more: true };
    if (first.end === undefined) return { rows: first.rows, more: false };
    Object.assign(found, first);
  }
  const sizesFirst = first === undefined;
  for (; found.rows.length < limit;) {
    if (found.end !== after) {
      if (performance.now() > endsAt) break;
      await ownTurn();
    }
    const step = await furthestStep(prisma, list, found.end);
    const wanted = { limit: limit - found.rows.length, budget: page.budget, heldBytes: found.bytes, sizesFirst };
    const part = await readPage(prisma, statementsOf(list, step), wanted);
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

/** The rows of the first step and where it ended, unless the list did; nothing when the rows are large. */
async function firstStep(prisma: PrismaService, list: SteppedList, { after, limit, budget }: SteppedPage) {
  const bounds = { limit: limit + 1, heldBytes: 0 };
  const parts = await Promise.all(
    list.parts.map(([walk]) =>
      readSmall(prisma, [(most) => firstStepStatement(list, walk, { after }, most)], bounds).then(
        (part) => part && withEnd(part),
      ),
    ),
  );
  const small = parts.filter((part) => part !== undefined);
  if (small.length < parts.length) return undefined;
  const bytes = small.reduce((sum, part) => sum + part.bytes, 0);
  await budget?.reserve(bytes);
  const end = small.map((part) => part.end).reduce((one, other) => nearer(list, one, other));
  const rows = inOrder(small.map((part) => part.rows));
  // Of another part, what is behind the end was looked at too, but not all of it.
  return { rows: parts.length > 1 ? rows.filter((row) => isUpTo(row, end)) : rows, bytes, end };
}

function withEnd({ rows, bytes }: { rows: unknown[][]; bytes: number }) {
  const end = endOfStep(rows.at(-1));
  return { rows: end === undefined ? rows : rows.slice(0, -1), bytes, end };
}

function isUpTo([first]: unknown[], end: string | undefined): boolean {
  return end === undefined || String(first) >= end.slice(0, String(first).length);
}

/** From a cursor on, the indexes by which most of the list is walked in one step of each. */
async function furthestStep(prisma: PrismaService, list: SteppedList, after: string | undefined): Promise<Step> {
  const steps = await Promise.all(
    list.parts.map(async (walks) => {
      const ends = await Promise.all(walks.map((walk) => endOf(prisma, list, walk, after)));
      const furthest = walks.map((walk, index) => ({ walk, end: ends[index] }));
      return furthest.reduce((one, other) =>
        one.end === undefined || nearer(list, one.end, other.end) === other.end ? one : other,
      );
    }),
  );
  const downTo = steps.map(({ end }) => end).reduce((one, other) => nearer(list, one, other));
  return { walks: steps.map(({ walk }) => walk), range: { after, downTo } };
}

async function endOf(prisma: PrismaService, list: SteppedList, walk: Walk, after: string | undefined) {
  const { text, values } = entryStatement(list, walk, { after });
  const [row] = await prisma.$queryArrays(text, values);
  return row?.[0] as string | undefined;
}

/** That which comes first in the list; nothing is its end. */
function nearer(list: SteppedList, one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const [placeOfOne, placeOfOther] = [one, other].map((cursor) => list.placeOf?.(cursor) ?? cursor) as [string, string];
  return placeOfOne >= placeOfOther ? one : other;
}
