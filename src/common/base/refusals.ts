import { AppError } from './app-error.js';

/** Returns what was done, or the refusal of it. Any other error is thrown: it is no fault of this item alone. */
export async function orRefusal<R>(work: () => R | Promise<R>): Promise<R | AppError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** Works on the items that were not refused, and returns a result or a refusal for each item, in order. */
export async function forAccepted<T, R>(
  items: readonly (T | AppError)[],
  work: (accepted: T[]) => Promise<readonly R[]>,
): Promise<(R | AppError)[]> {
  const accepted = items.filter((item): item is T => !(item instanceof AppError));
  const done = accepted.length > 0 ? await work(accepted) : [];
  let next = 0;
  return items.map((item) => (item instanceof AppError ? item : done[next++]!));
}
