import { hash } from 'node:crypto';

const sha256 = (data: string | Buffer): Buffer => hash('sha256', data, 'buffer');

/** The form in which hashes are stored; a string is made faster than a buffer. */
export const sha256Text = (data: string): string => hash('sha256', data, 'base64url');

/** Hashes the content of a leaf. U+0000 is the byte 0x00 that RFC 6962 puts before it. */
export const leafHashOf = (content: string): string => sha256Text(`\0${content}`);

/** Hashes personal members. Without the salt, 22 characters of base64url, nobody can tell which members have this hash. */
export const personalHashOf = (salt: string, personal: string): string => sha256Text(`${salt}${personal}`);

/** RFC 6962 hashes a node with the prefix 0x01. */
const NODE_PREFIX = Buffer.from([1]);

const nodeHash = (left: Buffer, right: Buffer): Buffer => sha256(Buffer.concat([NODE_PREFIX, left, right]));

/** The root of a Merkle tree: the Merkle Tree Hash of RFC 6962 (2.1) over leaf hashes. */
export function rootOf(leafHashes: Buffer[]): Buffer {
  if (leafHashes.length === 0) return sha256('');
  let level = leafHashes;
  // A last node without a sibling moves up as it is, which gives the same tree as splitting at the largest power of two.
  while (level.length > 1) level = levelAbove(level);
  return level[0]!;
}

/** The Merkle audit path of RFC 6962 (2.1.1): the hashes that lead from a leaf to the root, bottom-up. */
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
