import { z } from 'zod';
import { badInput } from '../../../common/base/app-error.js';
import type { BlockHead } from './block-row.js';
import { canonicalJson } from '../../../common/base/json.js';
import { type SealSigner, verifierOf } from './seal-signer.js';

const MAX_LENGTH = 4_096;

const content = z.strictObject({
  hash: z.string(),
  leafCount: z.int(),
  number: z.int(),
  previousHash: z.string(),
  publicKey: z.string(),
  root: z.string(),
  sealedAt: z.string(),
  tenantId: z.string(),
  type: z.literal('checkpoint'),
});

export type Checkpoint = z.infer<typeof content>;

/** Creates the checkpoint of a block. Stored outside this system, it proves that the block existed. */
export function makeCheckpoint(block: BlockHead, signer: SealSigner): string {
  const { hash, leafCount, number, previousHash, root, sealedAt, tenantId } = block;
  const { publicKey } = signer;
  const text = canonicalJson({
    hash,
    leafCount,
    number,
    previousHash,
    publicKey,
    root,
    tenantId,
    sealedAt: sealedAt.toISOString(),
    type: 'checkpoint',
  });
  return `${Buffer.from(text).toString('base64url')}.${signer.sign(text)}`;
}

/** Parses a checkpoint. Leaves the check of its signing key to the caller. @throws BAD_USER_INPUT if it is damaged or of another tenant */
export function readCheckpoint(checkpoint: string, tenantId: string, field = 'checkpoint'): Checkpoint {
  const [encoded = '', signature = '', ...rest] = checkpoint.slice(0, MAX_LENGTH).split('.');
  const text = Buffer.from(encoded, 'base64url').toString();
  const parsed = content.safeParse(parse(text));
  if (!parsed.success || rest.length > 0 || !verifierOf(parsed.data.publicKey).verify(text, signature)) {
    throw badInput(field, 'is not a valid latestSeal; send one unchanged');
  }
  if (parsed.data.tenantId !== tenantId) throw badInput(field, 'is of another tenant; send a latestSeal of your own tenant');
  return parsed.data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
