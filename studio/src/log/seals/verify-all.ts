import type { Api } from '../../api/client';
import type { LongWork } from '../../ui/long-work';
import { readCheckpoint } from './checkpoint';

export interface Range {
  from?: string | undefined;
  to?: string | undefined;
  checkpoint?: string | undefined;
}

/** Totals of a verification so far. */
export interface Verified {
  isValid: boolean;
  records: number;
  blocks: number;
  erased: number;
  removed: number;
  unsealed: number;
  /** Verified until; undefined at the end of the range. */
  checkedTo: string | undefined;
  brokenLogId: string | null;
  brokenBlock: number | null;
  reason: string | null;
  /** Progress in the time range, from 0 to 1; undefined if its start is unknown. */
  share: number | undefined;
}

const NOTHING: Verified = {
  isValid: true,
  records: 0,
  blocks: 0,
  erased: 0,
  removed: 0,
  unsealed: 0,
  checkedTo: undefined,
  brokenLogId: null,
  brokenBlock: null,
  reason: null,
  share: undefined,
};

/** Verifies a range in steps, until its end or the first damage. */
export async function verifyAll(
  log: Api['log'],
  range: Range,
  { work, onStep }: { work: LongWork; onStep: (verified: Verified) => void },
): Promise<void> {
  const { signal } = work;
  const begin = Date.parse(range.from ?? (await firstWritten(log, signal)) ?? '');
  const end = Math.min(Date.parse(range.to ?? '') || Infinity, (await lastSealed(log, signal)) ?? Date.now());
  let sum = NOTHING;
  for (let { from } = range; ;) {
    await work.turn();
    signal.throwIfAborted();
    const step = (await log.verifyLogs({ ...range, from }, undefined, { signal }))!;
    const next = step.valid ? step.checkedTo : null;
    sum = {
      isValid: step.valid === true,
      records: sum.records + (step.checkedRecords ?? 0),
      blocks: sum.blocks + (step.checkedBlocks ?? 0),
      erased: sum.erased + (step.erasedRecords ?? 0),
      removed: sum.removed + (step.removedRecords ?? 0),
      unsealed: sum.unsealed + (step.unsealedRecords ?? 0),
      checkedTo: next ?? undefined,
      brokenLogId: step.brokenLogId,
      brokenBlock: step.brokenBlock,
      reason: step.reason,
      share: next ? shareOf(Date.parse(next), begin, end) : 1,
    };
    onStep(sum);
    if (!next || next === from) return;
    from = next;
  }
}

const shareOf = (at: number, begin: number, end: number): number | undefined =>
  Number.isNaN(begin) ? undefined : Math.min(1, Math.max(0, (at - begin) / Math.max(1, end - begin)));

/** Time of the first record; undefined if the key may not read records or the first is damaged. */
async function firstWritten(log: Api['log'], signal: AbortSignal): Promise<string | undefined> {
  try {
    const page = await log.logs({ order: 'WRITTEN', limit: 1 }, { items: { createdAt: true } }, { signal });
    return page.items[0]?.createdAt ?? undefined;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/** Time of the newest block; undefined without one or without the scope. */
async function lastSealed(log: Api['log'], signal: AbortSignal): Promise<number | undefined> {
  try {
    const seal = await log.latestSeal({}, undefined, { signal });
    return seal === null ? undefined : Date.parse(readCheckpoint(seal).sealedAt);
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
