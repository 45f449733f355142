import type { BlockFault, BlockFaultKind } from './chain-verifier.js';

/** Tampered record (for an edit, its record) or block, with a description for the caller. */
export interface Finding {
  brokenLogId?: string;
  brokenBlock?: number;
  reason: string;
}

/** Thrown at the first sign of tampering, to stop a verification. */
export class TamperFound extends Error {
  constructor(readonly finding: Finding) {
    super(finding.reason);
  }
}

/** Converts the id to text, as a changed id can be bytes on SQLite. */
export const brokenLog = (id: string, reason: string): TamperFound => new TamperFound({ brokenLogId: String(id), reason });
export const brokenBlock = (block: number, reason: string): TamperFound => new TamperFound({ brokenBlock: block, reason });

const forged = (number: number) =>
  `Block ${number} was changed or forged: it changes to a key that the previous key did not authorize`;
const changed = (number: number) => `The records of block ${number} were changed`;
const REASONS: Record<Exclude<BlockFaultKind, 'number'>, (number: number) => string> = {
  signature: (number) => `Block ${number} was changed: it does not match its signature`,
  previousHash: (number) => `Block ${number} does not follow the block before it, which was replaced`,
  oldKey: forged,
  newSignature: forged,
  horizon: (number) => `Block ${number} was changed or forged: its retention horizon is invalid`,
  leafCount: changed,
  root: changed,
  idsHash: changed,
};

/** Describes the fault of a block for a caller of verifyLogs. */
export function brokenBy({ kind, block: { number }, count }: BlockFault): TamperFound {
  if (kind !== 'number') return brokenBlock(number, REASONS[kind](number));
  if (number < count) return brokenBlock(number, `Block ${number} was inserted`);
  return brokenBlock(count, `Block ${count} was removed; block ${number} comes next`);
}
