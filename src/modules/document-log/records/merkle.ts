import { sha256 } from './hashing.js';

/** Prefix of inner nodes in RFC 6962. */
const NODE_PREFIX = Buffer.from([1]);

const nodeHash = (left: Buffer, right: Buffer): Buffer => sha256(Buffer.concat([NODE_PREFIX, left, right]));

/** Returns the Merkle Tree Hash of RFC 6962 (2.1) over leaf hashes. */
export function rootOf(leafHashes: Buffer[]): Buffer {
  if (leafHashes.length === 0) return sha256('');
  let level = leafHashes;
  // A last node without a sibling moves up unchanged. The tree equals that of splitting at the largest power of two.
  while (level.length > 1) level = levelAbove(level);
  return level[0]!;
}

/** Returns the Merkle audit path of RFC 6962 (2.1.1): the hashes from a leaf to the root, bottom-up. */
export function auditPathOf(leafHashes: Buffer[], leafIndex: number): Buffer[] {
  const path: Buffer[] = [];
  let level = leafHashes;
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
    above.push(right ? nodeHash(level[index]!, right) : level[index]!);
  }
  return above;
}
