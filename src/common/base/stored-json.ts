import { AppError } from './app-error.js';

export const CHANGED = 'was changed in the database and can no longer be shown; restore it or set it again';

/** Parses stored JSON text. @throws FAILED_PRECONDITION if somebody changed it in the database to something else */
export function storedJson<T>(text: string, name: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new AppError('FAILED_PRECONDITION', `The stored ${name} ${CHANGED}`, { cause: error });
  }
}
