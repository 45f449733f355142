import type { BlockHead } from '../seals/block-row.js';
import type { Contents } from './database-log-source.service.js';

/** Records and edits that one verification recomputes. */
export const MAX_VERIFIED = 100_000;
/** How far the clocks of nodes may differ: a record can seem newer than its seal by as much. */
export const CLOCKS_MS = 60_000;

/** The horizon of a log of which nothing was removed. */
export const NOTHING_REMOVED = -1;

/** A range of times of creation, both inclusive. */
export interface Range {
  from: Date | null;
  to: Date | null;
}

/** The progress of one call. */
export interface Progress extends Range {
  tenantId: string;
  leaves: number;
  checkedRecords: number;
  checkedBlocks: number;
  unsealedRecords: number;
  erasedRecords: number;
  removedRecords: number;
  /** The last block whose records were removed; -1 if none was. */
  horizon: number;
  checkedTo: Date | null;
  /** Ends a slice of work, so that other work can run. */
  turn(): Promise<void>;
}

/** Returns the progress of a call that begins. */
export const beginning = (tenantId: string, range: Range, turn: () => Promise<void>): Progress => ({
  turn,
  tenantId,
  ...range,
  leaves: 0,
  checkedRecords: 0,
  checkedBlocks: 0,
  unsealedRecords: 0,
  erasedRecords: 0,
  removedRecords: 0,
  horizon: NOTHING_REMOVED,
  checkedTo: null,
});

export function countsOf(progress: Progress) {
  const { checkedRecords, checkedBlocks, unsealedRecords, erasedRecords, removedRecords, checkedTo } = progress;
  return { checkedRecords, checkedBlocks, unsealedRecords, erasedRecords, removedRecords, checkedTo };
}

export const isAfter = ({ earliestMs }: Contents, { to }: Range): boolean => to !== null && earliestMs > to.getTime() + CLOCKS_MS;

export const isBefore = ({ latestMs }: Contents, { from }: Range): boolean => from !== null && latestMs < from.getTime();

export const isWithin = ({ from, to }: Range, ms: number): boolean =>
  (from === null || ms >= from.getTime()) && (to === null || ms <= to.getTime());

/** Whether a next call that begins at `ms` gets further than this one. */
const isProgress = ({ from }: Range, ms: number): boolean => ms > (from?.getTime() ?? -Infinity);

/** Whether a block would exceed the limit of this call; if so, sets checkedTo, from which the next call continues. */
export function isEnough(progress: Progress, { leafCount }: BlockHead, { earliestMs }: Contents): boolean {
  const isEnd = progress.leaves > 0 && progress.leaves + leafCount > MAX_VERIFIED && isProgress(progress, earliestMs);
  if (isEnd) progress.checkedTo = new Date(earliestMs);
  return isEnd;
}

/** Whether a row that is in no block yet would exceed the limit of this call; if so, sets checkedTo. */
export function isFull(progress: Progress, time: Date): boolean {
  const isEnd = progress.leaves >= MAX_VERIFIED && isProgress(progress, time.getTime());
  if (isEnd) progress.checkedTo = time;
  return isEnd;
}
