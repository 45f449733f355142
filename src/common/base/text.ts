import { z } from 'zod';
import { badInput } from './app-error.js';

/** The default upper bounds, in UTF-16 units. */
export const MAX_NAME = 1_024;
export const MAX_COMMENT = 4_096;
/** The bounds of a text that filters look for inside of others: a shorter one is in most of them. */
export const MIN_CONTAINED = 3;
export const MAX_CONTAINED = 100;
/** Ids in a filter. */
export const MAX_IDS = 1_000;

interface Bounds {
  min?: number;
  max: number;
}

/** Returns the fault of a string, if any. PostgreSQL refuses NUL and SQLite changes lone surrogates, so neither is accepted. */
export function textFault(text: string, { min = 0, max }: Bounds): string | undefined {
  if (text.length < min) return min === 1 ? 'must not be empty' : `must have at least ${min} characters`;
  if (text.length > max) return `must have at most ${max} characters (UTF-16 units), has ${text.length}`;
  if (text.includes('\0')) return 'must not contain the NUL character';
  if (!text.isWellFormed()) return 'must be well-formed Unicode; it has a lone surrogate';
  return undefined;
}

/** @throws BAD_USER_INPUT naming the field */
export function checkText(field: string, text: string, bounds: Bounds): void {
  const fault = textFault(text, bounds);
  if (fault) throw badInput(field, fault);
}

declare module 'zod' {
  interface GlobalMeta {
    /** Returns the fault of a value, as the rule does: for checks that cannot afford zod. */
    fault?: (value: never) => string | undefined;
  }
}

/** Adds the check of a function to a rule, and the function itself to its metadata. */
export const withFault = <R extends z.ZodType>(rule: R, fault: (value: z.output<R>) => string | undefined): R =>
  rule
    .superRefine((value, context) => {
      const message = fault(value);
      if (message) context.addIssue({ code: 'custom', message });
    })
    .meta({ fault });

/** A zod string with the rules of every string that we accept. */
export const text = (bounds: Bounds) => withFault(z.string('is required'), (value) => textFault(value, bounds));

/** Line breaks and other control characters. Includes the breaks of Unicode, since some mail programs end a header line there. */
export const BREAK = /[\p{Cc}\u2028\u2029]/u;
export const ONE_LINE = 'must not contain line breaks or other control characters';

/** The rules of a text on one line. */
export const line = (bounds: Bounds) => text(bounds).refine((value) => !BREAK.test(value), ONE_LINE);

/** The rules of a part of a text that a filter looks for. */
export const containedText = text({ min: MIN_CONTAINED, max: MAX_CONTAINED });

/**
 * Checks an input against its schema.
 * @throws BAD_USER_INPUT with the path of the first wrong value, below `field`
 */
export function checkInput<T>(schema: z.ZodType<T>, input: unknown, field = 'input'): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  throw badInput([field, ...issue.path].filter((part) => part !== '').join('.'), issue.message);
}

/** A text without the case of ASCII letters, in which addresses are compared. */
export const lowerAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/**
 * Returns the beginning of a text as an index holds it, since PostgreSQL indexes nothing over 2,704 bytes. Counts code
 * points, as both databases do, so that migrations and SQL expressions give the same result.
 */
export function indexKey(text: string, codePoints: number): string {
  if (text.length <= codePoints) return text;
  return Array.from(text.slice(0, 2 * codePoints))
    .slice(0, codePoints)
    .join('');
}

/**
 * Returns the lowest string, in order of code points, that sorts after every string with the prefix; nothing if there is none.
 */
export function afterAllWith(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.length > 0) {
    const last = points.pop()!;
    if (last === 0x10ffff) continue;
    const next = last === 0xd7ff ? 0xe000 : last + 1; // skips the surrogates, which are not characters by themselves
    return String.fromCodePoint(...points, next);
  }
  return undefined;
}
