import { z } from 'zod';
import { AppError } from '../../base/app-error.js';

/** Declares the field with which a change gives way to another that was made since the caller read: optimistic locking. */
export const changedAfter = (word: string) =>
  z.date().nullish().describe(`The updatedAt of the ${word} that was read before. CONFLICT when it was changed after this time.`);

/** @throws CONFLICT if what is stored was changed after the time that the caller gave */
export function checkUnchanged(word: string, updatedAt: Date, readAt: Date | null | undefined): void {
  if (!readAt || updatedAt <= readAt) return;
  const message = `input.changedAfter: the ${word} was changed at ${updatedAt.toISOString()}; read it again`;
  throw new AppError('CONFLICT', message, { field: 'input.changedAfter' });
}

/** Returns the time of a change: later than the change before, also when two fall into a millisecond or clocks differ. */
export const timeAfter = (before: Date): Date => new Date(Math.max(Date.now(), before.getTime() + 1));
