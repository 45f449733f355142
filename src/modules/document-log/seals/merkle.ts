import { sha256 } from './hashing.js';

const NODE = Buffer.from([1]);

const join = (left: Buffer, right: Buffer): Buffer => sha256(Buffer.concat([NODE, left, right]));

/** The Merkle tree hash of RFC 6962 (2.1) over leaves that are hashed already. */
export function rootOf(leaves: Buffer[]): Buffer {
  if (leaves.length === 0) return sha256('');
  let level = leaves;
  // A last node without a sibling goes up as it is, which is the same tree as splitting at the largest power of two.
  while (level.length > 1) level = levelAbove(level);
  return level[0]!;
}

/** The audit path of RFC 6962 (2.1.1) for one leaf: the hashes that lead from it to the root, bottom-up. */
export function pathOf(leaves: Buffer[], leafIndex: number): Buffer[] {
  const path: Buffer[] = [];
  let level = leaves;
  for (let index = leafIndex; level.length > 1; index >>= 1) {
    const sibling = level[index ^ 1];
    if (sibling) path.push(sibling);
    level = levelAbove(level);
  }
  return path;
}

function levelAbove(level: Buffer[]): Buffer[] {
  const above: Buffer[] = [];
  for (let index = 0; index < level.length; index += 2) {
    const right = level[index + 1];
    above.push(right ? join(level[index]!, right) : level[index]!);
  }
  return above;
}
