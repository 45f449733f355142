import type { BlockHead } from '../seals/block-row.js';
import type { Contents } from './database-log-source.service.js';

/** Maximum records and edits recomputed per call. */
export const MAX_VERIFIED = 100_000;
/** Maximum clock skew between nodes. A record can seem newer than its seal by as much. */
export const CLOCKS_MS = 60_000;

/** Horizon of a log without removals. */
export const NOTHING_REMOVED = -1;

/** Range of creation times, both inclusive. */
export interface Range {
  from: Date | null;
  to: Date | null;
}

/** Progress of one call. */
export interface Progress extends Range {
  tenantId: string;
  leaves: number;
  checkedRecords: number;
  checkedBlocks: number;
  unsealedRecords: number;
  erasedRecords: number;
  removedRecords: number;
  /** Last block with removed records; -1 if none. */
  horizon: number;
  checkedTo: Date | null;
  /** Yields to other work. */
  turn(): Promise<void>;
}

/** Returns the initial progress of a call. */
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

/** Returns true if a call that begins at `ms` gets further than this one. */
const isProgress = ({ from }: Range, ms: number): boolean => ms > (from?.getTime() ?? -Infinity);

/** Returns true if a block would exceed the limit of the call, after setting checkedTo for the next call. */
export function isEnough(progress: Progress, { leafCount }: BlockHead, { earliestMs }: Contents): boolean {
  const isEnd = progress.leaves > 0 && progress.leaves + leafCount > MAX_VERIFIED && isProgress(progress, earliestMs);
  if (isEnd) progress.checkedTo = new Date(earliestMs);
  return isEnd;
}

/** Returns true if an unsealed row would exceed the limit of the call, after setting checkedTo. */
export function isFull(progress: Progress, time: Date): boolean {
  const isEnd = progress.leaves >= MAX_VERIFIED && isProgress(progress, time.getTime());
  if (isEnd) progress.checkedTo = time;
  return isEnd;
}
