import { AppError } from '../base/app-error.js';
import { contentHash } from '../base/json.js';

export const MAX_IDEMPOTENCY_KEY = 256;
/** The bounds of a caller's key. */
export const KEY_BOUNDS = { min: 1, max: MAX_IDEMPOTENCY_KEY };
/** How long keys of pushes, mails and rendered files are kept. A key of the log is kept as long as its record. */
export const KEEP_KEYS_MS = 24 * 3_600_000;

/** A key as it is stored, with a hash of the content that came with it. */
export interface IdempotencyKey {
  idempotencyKey: string;
  inputHash: string;
}

/** The columns of what came without a key. */
export const NO_KEY = { idempotencyKey: null, inputHash: null };
export type KeyColumns = IdempotencyKey | typeof NO_KEY;

/** Returns the key of a request. `content` is all that a repeat must have in common with the first use. */
export function keyOf(key: string | null | undefined, content: unknown): KeyColumns {
  return typeof key === 'string' ? { idempotencyKey: key, inputHash: contentHash(content) } : NO_KEY;
}

/** Whether a later use of a key has the content of the first one. If not, it is a conflict. */
export const isRepeat = (first: { inputHash: string | null }, later: { inputHash: string | null }): boolean =>
  first.inputHash === later.inputHash;

/** The things that have keys, by the names that callers know. */
export type Keyed = 'push' | 'message' | 'record' | 'file';

export function conflict(what: Keyed, field = 'input.idempotencyKey'): AppError {
  return new AppError('CONFLICT', `${field}: was used before, with other content; a new ${what} needs a new key`, { field });
}

/** Keys that were stored by then are too old, and may be used again. */
export const oldestKept = (): Date => new Date(Date.now() - KEEP_KEYS_MS);
