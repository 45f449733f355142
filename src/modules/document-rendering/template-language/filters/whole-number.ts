import type { Warn } from '../result/warnings.js';

const MAX_PRECISION = 15;

/** Returns a check of a whole-number argument within bounds. */
export const wholeNumber =
  (what: string, [from, to]: readonly [number, number], example: string) =>
  (value: unknown): string | undefined => {
    if (Number.isInteger(value) && (value as number) >= from && (value as number) <= to) return undefined;
    const range = to === Infinity ? `from ${from} on` : `from ${from} to ${to}`;
    return `${what} must be a whole number ${range}, such as ${example}`;
  };

export const wrongPrecision = wholeNumber('the number of digits', [-MAX_PRECISION, MAX_PRECISION], 'round(1)');
export const wrongLength = wholeNumber('the number of characters', [1, Infinity], 'truncate(100)');
export const wrongMaximum = wholeNumber('the largest number of replacements', [0, Infinity], 'replace("a", "b", 1)');

/** Returns true for a valid argument. Adds a warning for an invalid one. */
export function isRight(value: unknown, wrong: string | undefined, warn: Warn): boolean {
  if (value === undefined) return false;
  if (wrong) warn(`the argument was ignored: ${wrong}`);
  return wrong === undefined;
}
