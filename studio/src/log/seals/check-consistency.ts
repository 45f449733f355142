import type { Api } from '../../api/client';
import { readCheckpoint } from './checkpoint';
import { blockHash } from './hashes';

/** Recomputes in this browser that the current log continues an earlier checkpoint, block by block. Returns whether it does. */
export async function continues(
  log: Api['log'],
  { from, to, signal }: { from: string; to: string; signal: AbortSignal },
): Promise<boolean> {
  const end = readCheckpoint(to);
  const { tenantId, ...start } = readCheckpoint(from);
  let { number, hash } = start;
  for (let checkpoint = from; number < end.number;) {
    const part = await log.logConsistency({ from: checkpoint, to }, undefined, { signal });
    if (!part?.steps?.length || part.fromBlock !== number) return false;
    for (const { leafCount, root } of part.steps) {
      number += 1;
      hash = await blockHash({ leafCount: leafCount!, number, previousHash: hash, root: root!, tenantId });
    }
    checkpoint = part.checkpoint!;
  }
  return number === end.number && hash === end.hash && tenantId === end.tenantId;
}
