import { AppError } from '../base/app-error.js';
import { contentHash } from '../base/json.js';

export const MAX_IDEMPOTENCY_KEY = 256;
/** Length limits of a caller's key. */
export const KEY_BOUNDS = { min: 1, max: MAX_IDEMPOTENCY_KEY };
/** Retention of the keys of pushes, mails and rendered files. A key of the log lives as long as its record. */
export const KEEP_KEYS_MS = 24 * 3_600_000;

/** Stored key, with a hash of the content of its request. */
export interface IdempotencyKey {
  idempotencyKey: string;
  inputHash: string;
}

/** Columns of a request without a key. */
export const NO_KEY = { idempotencyKey: null, inputHash: null };
export type KeyColumns = IdempotencyKey | typeof NO_KEY;

/** Returns the key of a request. `content` is everything that a repeated request must have in common with the first. */
export function keyOf(key: string | null | undefined, content: unknown): KeyColumns {
  return typeof key === 'string' ? { idempotencyKey: key, inputHash: contentHash(content) } : NO_KEY;
}

/** Returns whether a later use of a key has the content of the first. Otherwise it is a conflict. */
export const isRepeat = (first: { inputHash: string | null }, later: { inputHash: string | null }): boolean =>
  first.inputHash === later.inputHash;

/** Operations with keys, by the names that callers know. */
export type Keyed = 'push' | 'message' | 'record' | 'file';

export function conflict(what: Keyed, field = 'input.idempotencyKey'): AppError {
  return new AppError('CONFLICT', `${field}: was used before with other content; use a new key for a new ${what}`, { field });
}

/** Returns the time before which keys are expired and may be reused. */
export const oldestKept = (): Date => new Date(Date.now() - KEEP_KEYS_MS);
