import { z } from 'zod';
import { withFault } from './text.js';

/** Range of times that both databases can store: PostgreSQL has no year 0, and ISO 8601 years have four digits. */
const FIRST_TIME_MS = Date.parse('0001-01-01T00:00:00.000Z');
const LAST_TIME_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Validates a time. Returns the error message, or undefined. */
export function timeFault(time: Date): string | undefined {
  const isStorable = time.getTime() >= FIRST_TIME_MS && time.getTime() <= LAST_TIME_MS;
  return isStorable ? undefined : 'must be from 0001-01-01 to 9999-12-31 GMT';
}

/** Validates a future time. Returns the error message, or undefined. */
export const futureFault = (time: Date): string | undefined =>
  time.getTime() > Date.now() ? timeFault(time) : 'must be in the future';

/** Rule for a future time. */
export const futureTime = withFault(z.date(), futureFault);

/** Clamps the bound of a range to a time that databases can compare with. Nothing is stored beyond the first and last. */
export function storableTime(time: Date): Date {
  return new Date(Math.min(Math.max(time.getTime(), FIRST_TIME_MS), LAST_TIME_MS));
}
