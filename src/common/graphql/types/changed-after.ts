import { z } from 'zod';
import { AppError } from '../../base/app-error.js';

/** Declares the field for optimistic locking: a change is refused if the object changed after the caller read it. */
export const changedAfter = (word: string) =>
  z.date().nullish().describe(`updatedAt of the ${word} as last read. CONFLICT if it was changed after this time.`);

/** Checks that an object did not change after the caller read it. @throws CONFLICT */
export function checkUnchanged(word: string, updatedAt: Date, readAt: Date | null | undefined): void {
  if (!readAt || updatedAt <= readAt) return;
  const message = `input.changedAfter: the ${word} was changed at ${updatedAt.toISOString()}; read it again`;
  throw new AppError('CONFLICT', message, { field: 'input.changedAfter' });
}

/** Returns the time of a change: always later than the previous change, even within a millisecond or across clocks. */
export const timeAfter = (before: Date): Date => new Date(Math.max(Date.now(), before.getTime() + 1));
