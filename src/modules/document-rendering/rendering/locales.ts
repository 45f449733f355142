import { z } from 'zod';
import { badInput, quoted } from '../../../common/base/app-error.js';
import { NOBODY, type Reader } from '../template-language/filters/reader.js';

/** Maximum length of a language tag or zone name. */
const MAX_TAG = 100;

interface Asked {
  locale?: string | null;
  timeZone?: string | null;
}

/** Returns the locale and time zone of a rendering. @throws BAD_USER_INPUT for an unknown BCP 47 tag or IANA zone */
export function readerOf({ locale, timeZone }: Asked, field = 'input'): Reader {
  const reader: Reader = { ...NOBODY };
  if (typeof locale === 'string') reader.locale = canonicalLocale(locale, `${field}.locale`);
  if (typeof timeZone === 'string') reader.timeZone = canonicalZone(timeZone, `${field}.timeZone`);
  return reader;
}

function canonicalLocale(tag: string, field: string): string {
  const known = knownLocale(tag);
  if (known !== undefined) return known;
  throw badInput(field, unknownLocale(tag));
}

function knownLocale(tag: string): string | undefined {
  return tag.length <= MAX_TAG ? attempt(() => Intl.NumberFormat.supportedLocalesOf(tag))?.[0] : undefined;
}

const unknownLocale = (tag: string): string => `${quoted(tag)} is not a known language; send a BCP 47 tag, such as de or de-CH`;

/** Canonical language tag of a text. Removes extensions, which only affect numbers and dates. */
export const localeRules = z.string().transform((tag, context) => {
  const known = knownLocale(tag);
  if (known !== undefined) return new Intl.Locale(known).baseName;
  context.addIssue({ code: 'custom', message: unknownLocale(tag) });
  return z.NEVER;
});

function canonicalZone(name: string, field: string): string {
  const isName = name.length <= MAX_TAG && !/^[+-]/.test(name);
  const zone = isName ? attempt(() => new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone) : undefined;
  if (zone !== undefined) return zone;
  throw badInput(field, `${quoted(name)} is not a time zone; send an IANA name, such as Europe/Zurich`);
}

/** Returns undefined for a tag or zone that Intl rejects with a RangeError. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
