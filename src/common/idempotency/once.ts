import { conflict, type IdempotencyKey, isRepeat, type KeyColumns, type Keyed } from './idempotency-key.js';

/** The first use of a key, as it is stored. */
export interface FirstUse<R> {
  inputHash: string | null;
  result: R;
}

interface Uses<R, T> {
  /** Finds the first use of a key; none that is too old. */
  find(key: IdempotencyKey): Promise<FirstUse<R> | undefined>;
  /** Does what was asked, and stores the key in the same transaction. Returns nothing, and stores nothing, if the key is taken. */
  first(): Promise<T | undefined>;
  /** Answers with the result of the first use. */
  repeat(result: R): T | Promise<T>;
}

/**
 * Does what was asked once for each key. Of two uses at the same time, the database lets one store its key, and the other one
 * repeats it.
 * @throws CONFLICT if the key came before with other content
 */
export async function once<R, T>(what: Keyed, key: KeyColumns, uses: Uses<R, T>): Promise<T> {
  for (;;) {
    const before = key.idempotencyKey === null ? undefined : await uses.find(key);
    if (before && !isRepeat(before, key)) throw conflict(what);
    if (before) return uses.repeat(before.result);
    const made = await uses.first();
    if (made !== undefined) return made;
  }
}
