import { z } from 'zod';

export const BUNDLE_FORMAT = 'document-log-bundle';
/** Bundle format versions without and with key changes. */
export const ONE_KEY_VERSION = 3;
export const CHANGED_KEY_VERSION = 4;

const HASH_BYTES = 32;
const SIGNATURE_BYTES = 64;
const SALT_BYTES = 16;

/** Validates canonical base64url, so that no alteration of the text goes unnoticed. */
const bytes = (length: number) =>
  z.string().refine((text) => {
    const decoded = Buffer.from(text, 'base64url');
    return decoded.length === length && decoded.toString('base64url') === text;
  }, `must be ${length} bytes in base64url`);

const count = z.int().min(0);
const hash = bytes(HASH_BYTES);
const seq = z.string().regex(/^(0|-?[1-9]\d{0,18})$/, 'must be a whole number as text');
const time = z.string().refine((text) => isTime(text), 'must be a time such as 2026-11-21T10:00:01.234Z');

function isTime(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text;
}

const header = z.strictObject({
  kind: z.literal('header'),
  format: z.literal(BUNDLE_FORMAT),
  version: z.literal([ONE_KEY_VERSION, CHANGED_KEY_VERSION]),
  tenantId: z.string(),
  publicKey: hash,
  fromBlock: count,
});

const block = z.strictObject({
  kind: z.literal('block'),
  number: count,
  leafCount: count,
  root: hash,
  previousHash: hash,
  hash,
  idsHash: hash,
  toSeq: seq,
  toEditSeq: seq,
  sealedAt: time,
  signature: bytes(SIGNATURE_BYTES),
});

/** Leaf line. Without `content`, it discloses only its hash. */
const leaf = {
  id: z.string(),
  leafHash: hash,
  content: z.string().optional(),
  personal: z.string().optional(),
  salt: bytes(SALT_BYTES).optional(),
  erased: z.literal(true).optional(),
};
const record = z.strictObject({ kind: z.literal('record'), ...leaf });
const edit = z.strictObject({ kind: z.literal('edit'), logId: z.string(), ...leaf });

/** Sole leaf of a block that changes the key. */
const key = z.strictObject({ kind: z.literal('key'), oldKey: hash, newKey: hash, newSignature: bytes(SIGNATURE_BYTES) });

/** Placeholder for the removed leaves of a block. */
const removed = z.strictObject({ kind: z.literal('removed') });

/** Sole leaf of a block with a retention horizon. */
const horizon = z.strictObject({ kind: z.literal('horizon'), content: z.string() });

const end = z.strictObject({
  kind: z.literal('end'),
  blocks: count,
  records: count,
  edits: count,
  checkpoint: z.string().nullable(),
});

/** Line of a bundle; docs/document-log-seals.md describes its members. */
export const bundleLine = z.discriminatedUnion('kind', [header, block, record, edit, key, removed, horizon, end]);

export type BundleLine = z.infer<typeof bundleLine>;
export type HeaderLine = z.infer<typeof header>;
export type BlockLine = z.infer<typeof block>;
export type LeafLine = z.infer<typeof record> | z.infer<typeof edit>;
export type HorizonLine = z.infer<typeof horizon>;
export type KeyLine = z.infer<typeof key>;
export type EndLine = z.infer<typeof end>;
