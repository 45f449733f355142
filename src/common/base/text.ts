import { z } from 'zod';
import { badInput } from './app-error.js';

/** Default maximum lengths, in UTF-16 units. */
export const MAX_NAME = 1_024;
export const MAX_COMMENT = 4_096;
/** Length limits of a text that filters search for: a shorter one would match almost everything. */
export const MIN_CONTAINED = 3;
export const MAX_CONTAINED = 100;
/** Maximum number of ids in a filter. */
export const MAX_IDS = 1_000;

interface Bounds {
  min?: number;
  max: number;
}

/** Validates a string. Refuses NUL, as PostgreSQL does, and lone surrogates, which SQLite alters. Returns the error message, or undefined. */
export function textFault(text: string, { min = 0, max }: Bounds): string | undefined {
  if (text.length < min) return min === 1 ? 'must not be empty' : `must have at least ${min} characters`;
  if (text.length > max) return `must have at most ${max} characters (UTF-16 units), has ${text.length}`;
  if (text.includes('\0')) return 'must not contain the NUL character';
  if (!text.isWellFormed()) return 'must be well-formed Unicode; it has a lone surrogate';
  return undefined;
}

/** Checks a string. @throws BAD_USER_INPUT naming the field */
export function checkText(field: string, text: string, bounds: Bounds): void {
  const fault = textFault(text, bounds);
  if (fault) throw badInput(field, fault);
}

declare module 'zod' {
  interface GlobalMeta {
    /** Validates a value like the rule, for checks that cannot afford zod. */
    fault?: (value: never) => string | undefined;
  }
}

/** Adds a check function to a rule and to its metadata. */
export const withFault = <R extends z.ZodType>(rule: R, fault: (value: z.output<R>) => string | undefined): R =>
  rule
    .superRefine((value, context) => {
      const message = fault(value);
      if (message) context.addIssue({ code: 'custom', message });
    })
    .meta({ fault });

/** Rule for every string from a caller. */
export const text = (bounds: Bounds) => withFault(z.string('is required'), (value) => textFault(value, bounds));

/** Line breaks and other control characters. Includes Unicode line breaks, since some mail programs end a header line there. */
export const BREAK = /[\p{Cc}\u2028\u2029]/u;
export const ONE_LINE = 'must not contain line breaks or other control characters';

/** Rule for a text on one line. */
export const line = (bounds: Bounds) => text(bounds).refine((value) => !BREAK.test(value), ONE_LINE);

/** Rule for a text that filters search for. */
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

/** Lowercases ASCII letters, for comparing addresses. */
export const lowerAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/**
 * Returns the prefix of a text that an index stores, since PostgreSQL indexes at most 2,704 bytes. Counts code points, as both
 * databases do, so that migrations and SQL expressions give the same result.
 */
export function indexKey(text: string, codePoints: number): string {
  if (text.length <= codePoints) return text;
  return Array.from(text.slice(0, 2 * codePoints))
    .slice(0, codePoints)
    .join('');
}

/**
 * Returns the lowest string in code-point order that sorts after all strings with the prefix, or undefined if there is none.
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
