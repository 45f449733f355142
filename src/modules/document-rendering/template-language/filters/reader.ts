import { LRUCache } from 'lru-cache';

/** For whom a template is rendered. */
export interface Reader {
  /** A canonical BCP 47 tag. Without one, formats are English, as they are without a reader. */
  locale?: string;
  /** The language of the texts, which can be another than that of the formats: its tag of BCP 47, if it is known. */
  language?: string | undefined;
  /** An IANA name. */
  timeZone: string;
}

export const NOBODY: Reader = { timeZone: 'UTC' };

/** The locale of formats that have no form of their own. */
const DEFAULT_LOCALE = 'en';
const MAX_FORMATS = 500;

/** Formatters of Intl take up to a hundred times longer to make than to use. */
const formats = new LRUCache<string, object>({ max: MAX_FORMATS });

/** Returns a formatter of Intl for the language of the reader. */
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

/** How a language writes the parts of numbers. */
export interface NumberSymbols {
  decimal: string;
  group: string;
  minus: string;
  /** The ten digits, from 0 on. */
  digits: string[];
  /** The least number of digits before the first separator of groups: 2 where 1234 has none. */
  minGrouped: number;
}

/** Returns the direction in which a language is written. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  const { script } = new Intl.Locale(language).maximize();
  return RIGHT_TO_LEFT.has(script ?? '') ? 'rtl' : 'ltr';
}

/** The scripts in use that are written from right to left, by their codes of ISO 15924. */
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

/** Writes the digits of a text as the language does. */
export function localDigits(text: string, { digits }: NumberSymbols): string {
  return digits === ENGLISH.digits || digits[0] === '0' ? text : text.replaceAll(/\d/g, (digit) => digits[Number(digit)]!);
}
