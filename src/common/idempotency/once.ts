// Room: Idempotency keys: a repeated request gets the first result, or CONFLICT.
import { AppError } from '../base/app-error.js';
import { conflict, type IdempotencyKey, isRepeat, type KeyColumns, type Keyed } from './idempotency-key.js';

/** Stored first use of a key. */
export interface FirstUse<R> {
  inputHash: string | null;
  result: R;
}

interface Uses<R, T> {
  /** Finds the first use of a key, unless expired. */
  find(key: IdempotencyKey): Promise<FirstUse<R> | undefined>;
  /** Does the work and stores the key in the same transaction. Returns undefined, and stores nothing, if the key is already taken. */
  first(): Promise<T | undefined>;
  /** Returns the result of the first use. */
  repeat(result: R): T | Promise<T>;
}

interface ManyUses<I, R, T> {
  /** Finds the first uses of keys, unless expired. Not called without keys. */
  find(keys: string[]): Promise<Map<string, FirstUse<R>>>;
  /** Does the work for each item, like `Uses.first`. A refused item stores nothing. */
  first(items: I[]): Promise<readonly (T | AppError | undefined)[]>;
  repeat(result: R): T | Promise<T>;
}

/**
 * Does the work once per key. Of two concurrent uses, the database lets one store its key, and the other repeats its result.
 * @throws CONFLICT if the key was used with other content
 */
export async function once<R, T>(what: Keyed, key: KeyColumns, { find, first, repeat }: Uses<R, T>): Promise<T> {
  const [result] = await onceEach<{ key: KeyColumns }, R, T>(what, [{ key }], {
    find: async () => {
      const use = await find(key as IdempotencyKey);
      return new Map(use && [[key.idempotencyKey!, use]]);
    },
    first: async () => [await first()],
    repeat,
  });
  if (result instanceof AppError) throw result;
  return result!;
}

/** Does the same for many items, and returns a result or a refusal for each. The second use of a key in the list is a repeat. */
export async function onceEach<I extends { key: KeyColumns }, R, T>(
  what: Keyed,
  items: readonly I[],
  uses: ManyUses<I, R, T>,
): Promise<(T | AppError)[]> {
  const results = new Map<I, T | AppError>();
  for (let open = [...items]; open.length > 0; open = open.filter((item) => !results.has(item))) {
    const before = await usesOf(open, uses);
    const fresh = new Map<unknown, I>();
    for (const item of open) {
      const { idempotencyKey } = item.key;
      const use = before.get(idempotencyKey ?? '');
      if (use && isRepeat(use, item.key)) results.set(item, await uses.repeat(use.result));
      else if (use) results.set(item, conflict(what));
      else if (!fresh.has(idempotencyKey)) fresh.set(idempotencyKey ?? item, item);
    }
    const tried = [...fresh.values()];
    const made = tried.length > 0 ? await uses.first(tried) : [];
    for (const [index, result] of made.entries()) if (result !== undefined) results.set(tried[index]!, result);
  }
  return items.map((item) => results.get(item)!);
}

function usesOf<I extends { key: KeyColumns }, R, T>(items: I[], uses: ManyUses<I, R, T>): Promise<Map<string, FirstUse<R>>> {
  const keys = new Set(items.flatMap(({ key }) => key.idempotencyKey ?? []));
  return keys.size > 0 ? uses.find([...keys]) : Promise.resolve(new Map());
}
