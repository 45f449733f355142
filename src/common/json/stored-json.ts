import { AppError } from '../errors/app-error.js';

export const CHANGED = 'was changed in the database to what cannot be shown; put it back, or set it anew';

/** What was stored as JSON text. @throws FAILED_PRECONDITION when somebody changed it in the database to something else */
export function storedJson<T>(text: string, name: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new AppError('FAILED_PRECONDITION', `The stored ${name} ${CHANGED}`, { cause: error });
  }
}
