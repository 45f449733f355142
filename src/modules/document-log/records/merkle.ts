import { hash } from 'node:crypto';

const sha256 = (data: string | Buffer): Buffer => hash('sha256', data, 'buffer');

/** Hashes to base64url, as stored. Faster as a string than as a buffer. */
export const sha256Text = (data: string): string => hash('sha256', data, 'base64url');

/** Hashes a leaf. U+0000 is the leaf prefix 0x00 of RFC 6962. */
export const leafHashOf = (content: string): string => sha256Text(`\0${content}`);

/** Hashes personal members. The salt, 22 characters of base64url, prevents guessing them from the hash. */
export const personalHashOf = (salt: string, personal: string): string => sha256Text(`${salt}${personal}`);

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
