import type { BlockFault, BlockFaultKind } from './chain-verifier.js';

/** The record (for an edit, its record) or the block that was tampered with, and how, in words for the caller. */
export interface Finding {
  brokenLogId?: string;
  brokenBlock?: number;
  reason: string;
}

/** Ends a verification at the first sign of tampering. */
export class TamperFound extends Error {
  constructor(readonly finding: Finding) {
    super(finding.reason);
  }
}

/** Converts the id to text: on SQLite a changed id can be bytes. */
export const brokenLog = (id: string, reason: string): TamperFound => new TamperFound({ brokenLogId: String(id), reason });
export const brokenBlock = (block: number, reason: string): TamperFound => new TamperFound({ brokenBlock: block, reason });

const forged = (number: number) =>
  `Block ${number} was changed or forged: it hands the log over to a key that the one before did not name`;
const changed = (number: number) => `The records of block ${number} were changed`;
const REASONS: Record<Exclude<BlockFaultKind, 'number'>, (number: number) => string> = {
  signature: (number) => `Block ${number} was changed: it is not what was signed`,
  previousHash: (number) => `Block ${number} does not follow the block before it, which was replaced`,
  oldKey: forged,
  newSignature: forged,
  horizon: (number) => `Block ${number} was changed or forged: it wrongly says how far the log was removed`,
  leafCount: changed,
  root: changed,
  idsHash: changed,
};

/** Describes the fault of a block for a caller of verifyLogs. */
export function brokenBy({ kind, block: { number }, count }: BlockFault): TamperFound {
  if (kind !== 'number') return brokenBlock(number, REASONS[kind](number));
  if (number < count) return brokenBlock(number, `Block ${number} was slipped in`);
  return brokenBlock(count, `Block ${count} was removed; block ${number} comes next`);
}
