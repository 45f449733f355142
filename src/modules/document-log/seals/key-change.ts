import { z } from 'zod';
import { canonicalJson } from '../../../common/base/json.js';
import { leafHashOf } from '../records/merkle.js';
import { type SealSigner, verifierOf } from './seal-signer.js';

/** Hands a log over from one public key to the next. It is the only leaf of its block, which the old key signs. */
export interface KeyChange {
  oldKey: string;
  newKey: string;
  /** By the new key, over both keys and the hash of the block, and so over all that is before it. */
  newSignature: string;
}

type Keys = Omit<KeyChange, 'newSignature'>;

const SPELLED_OUT = z.strictObject({ newKey: z.string(), newSignature: z.string().length(86), oldKey: z.string() });

/** Returns the leaf of a change of keys. */
export const keyLeafHash = (tenantId: string, { oldKey, newKey }: Keys): string =>
  leafHashOf(canonicalJson({ newKey, oldKey, tenantId, type: 'key' }));

/** Makes the change for the block of a hash. */
export function makeKeyChange(hash: string, { oldKey, newKey }: Keys, successor: SealSigner): KeyChange {
  return { oldKey, newKey, newSignature: successor.sign(changeText(hash, { oldKey, newKey })) };
}

/** Whether the new key has signed the change for the block of a hash. */
export const isAccepted = (hash: string, change: KeyChange): boolean =>
  isSpelledOut(change.newSignature) && verifierOf(change.newKey).verify(changeText(hash, change), change.newSignature);

const changeText = (hash: string, { oldKey, newKey }: Keys): string => canonicalJson({ hash, newKey, oldKey, type: 'key' });

/** The text that is stored with the block. */
export const keyChangeText = ({ oldKey, newKey, newSignature }: KeyChange): string =>
  canonicalJson({ newKey, newSignature, oldKey });

/** Reads the text that is stored with a block. Returns undefined for any other. */
export function readKeyChange(text: string): KeyChange | undefined {
  try {
    const { data } = SPELLED_OUT.safeParse(JSON.parse(text));
    return data && keyChangeText(data) === text ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Base64url can spell the same bytes in several ways; only the one that `Buffer` produces counts. */
const isSpelledOut = (text: string): boolean => Buffer.from(text, 'base64url').toString('base64url') === text;
