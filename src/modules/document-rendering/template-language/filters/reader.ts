import { LRUCache } from 'lru-cache';

/** Locale and time zone of a rendering. */
export interface Reader {
  /** Canonical BCP 47 tag. Formats are English if undefined. */
  locale?: string;
  /** BCP 47 tag of the texts, if known. Can differ from that of the formats. */
  language?: string | undefined;
  /** IANA name. */
  timeZone: string;
}

export const NOBODY: Reader = { timeZone: 'UTC' };

/** Default locale of formats. */
const DEFAULT_LOCALE = 'en';
const MAX_FORMATS = 500;

/** Cache of Intl formatters. Creating one takes up to a hundred times longer than using it. */
const formats = new LRUCache<string, object>({ max: MAX_FORMATS });

/** Returns an Intl formatter for the locale. */
export function formatFor<O extends object, F extends object>(
  make: new (locale?: string, options?: O) => F,
  { locale = DEFAULT_LOCALE }: Pick<Reader, 'locale'>,
  options: NoInfer<O>,
): F {
  const key = `${make.name} ${locale} ${JSON.stringify(options)}`;
  let format = formats.get(key) as F | undefined;
  if (!format) formats.set(key, (format = new make(locale, options)));
  return format;
}

/** Symbols and digits of numbers in a language. */
export interface NumberSymbols {
  decimal: string;
  group: string;
  minus: string;
  /** Digits from 0 to 9. */
  digits: string[];
  /** Minimum number of digits before the first group separator: 2 if 1234 has none. */
  minGrouped: number;
}

/** Returns the writing direction of a language. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  const { script } = new Intl.Locale(language).maximize();
  return RIGHT_TO_LEFT.has(script ?? '') ? 'rtl' : 'ltr';
}

/** Right-to-left scripts in use, by ISO 15924 code. */
const RIGHT_TO_LEFT = new Set(['Adlm', 'Arab', 'Aran', 'Hebr', 'Mand', 'Mend', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa', 'Yezi']);

const ENGLISH: NumberSymbols = { decimal: '.', group: ',', minus: '-', digits: [...'0123456789'], minGrouped: 1 };
const symbols = new LRUCache<string, NumberSymbols>({ max: MAX_FORMATS });

export function numberSymbols(reader: Reader): NumberSymbols {
  if (reader.locale === undefined) return ENGLISH;
  let known = symbols.get(reader.locale);
  if (!known) symbols.set(reader.locale, (known = symbolsOf(reader)));
  return known;
}

function symbolsOf(reader: Reader): NumberSymbols {
  const plain = formatFor(Intl.NumberFormat, reader, {});
  const parts = plain.formatToParts(-12_345_678.5);
  const part = (type: string, otherwise: string): string => parts.find((one) => one.type === type)?.value ?? otherwise;
  const digit = formatFor(Intl.NumberFormat, reader, { useGrouping: false });
  return {
    decimal: part('decimal', '.'),
    group: part('group', ','),
    minus: part('minusSign', '-'),
    digits: Array.from({ length: 10 }, (_, value) => digit.format(value)),
    minGrouped: plain.formatToParts(1_234).some(({ type }) => type === 'group') ? 1 : 2,
  };
}

/** Replaces digits by those of the language. */
export function localDigits(text: string, { digits }: NumberSymbols): string {
  return digits === ENGLISH.digits || digits[0] === '0' ? text : text.replaceAll(/\d/g, (digit) => digits[Number(digit)]!);
}
