import { z } from 'zod';
import { canonicalJson } from '../../../common/base/json.js';
import { leafHashOf } from '../records/merkle.js';
import { type SealSigner, verifierOf } from './seal-signer.js';

/** Change of a log from one public key to the next. Only leaf of its block, which the old key signs. */
export interface KeyChange {
  oldKey: string;
  newKey: string;
  /** Signature by the new key over both keys and the block hash, and so over the history. */
  newSignature: string;
}

type Keys = Omit<KeyChange, 'newSignature'>;

const SPELLED_OUT = z.strictObject({ newKey: z.string(), newSignature: z.string().length(86), oldKey: z.string() });

/** Returns the leaf hash of a key change. */
export const keyLeafHash = (tenantId: string, { oldKey, newKey }: Keys): string =>
  leafHashOf(canonicalJson({ newKey, oldKey, tenantId, type: 'key' }));

/** Creates the key change of the block with a hash. */
export function makeKeyChange(hash: string, { oldKey, newKey }: Keys, successor: SealSigner): KeyChange {
  return { oldKey, newKey, newSignature: successor.sign(changeText(hash, { oldKey, newKey })) };
}

/** Verifies the signature of the new key for the block with a hash. */
export const isAccepted = (hash: string, change: KeyChange): boolean =>
  isSpelledOut(change.newSignature) && verifierOf(change.newKey).verify(changeText(hash, change), change.newSignature);

const changeText = (hash: string, { oldKey, newKey }: Keys): string => canonicalJson({ hash, newKey, oldKey, type: 'key' });

/** Serializes a key change for its block. */
export const keyChangeText = ({ oldKey, newKey, newSignature }: KeyChange): string =>
  canonicalJson({ newKey, newSignature, oldKey });

/** Parses the key change of a block. Returns undefined for other text. */
export function readKeyChange(text: string): KeyChange | undefined {
  try {
    const { data } = SPELLED_OUT.safeParse(JSON.parse(text));
    return data && keyChangeText(data) === text ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Accepts only the canonical base64url of the bytes. */
const isSpelledOut = (text: string): boolean => Buffer.from(text, 'base64url').toString('base64url') === text;
