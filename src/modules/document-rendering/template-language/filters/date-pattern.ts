import type { UTCDate } from '@date-fns/utc';
import { format } from 'date-fns/format';
import { textOf } from '../text/escaping.js';
import type { Warn } from '../result/warnings.js';
import { isStyle, styledDate } from './intl-filters.js';
import { localName } from './local-names.js';
import { localDigits, numberSymbols, type Reader } from './reader.js';
import { timeIn } from './times.js';
import { wallClock, zoneField } from './zone.js';

const DEFAULT = 'yyyy-MM-dd';
/** Date style for a locale without a pattern. */
const DEFAULT_STYLE = 'medium';
const MAX_PATTERN = 100;
const SHOWN = 40;
/** Pattern tokens: a quoted text (two quotes stand for one), a field (`do` is the ordinal day), or other text. */
const TOKENS = /'(?:[^']|'')*'|do|([a-zA-Z])\1*|'|[^a-zA-Z']+/g;

/** Fields of Unicode date patterns (UTS #35) with the same meaning in the formatter, and their lengths. */
const FIELDS: Record<string, RegExp> = {
  G: /^.{1,5}$/,
  y: /^.{1,9}$/,
  u: /^.{1,9}$/,
  Q: /^.{1,5}$/,
  q: /^.{1,5}$/,
  M: /^.{1,5}$/,
  L: /^.{1,5}$/,
  w: /^.{1,2}$/,
  d: /^.{1,2}$/,
  E: /^.{1,6}$/,
  e: /^.{1,6}$/,
  c: /^(?:.|.{3,6})$/,
  a: /^.{1,5}$/,
  h: /^.{1,2}$/,
  H: /^.{1,2}$/,
  K: /^.{1,2}$/,
  k: /^.{1,2}$/,
  m: /^.{1,2}$/,
  s: /^.{1,2}$/,
  S: /^.{1,9}$/,
  X: /^.{1,5}$/,
  x: /^.{1,5}$/,
};

/** Fields that are constant in UTC. */
const FIXED: Record<string, string> = {
  z: 'UTC',
  zz: 'UTC',
  zzz: 'UTC',
  zzzz: 'Coordinated Universal Time',
  O: 'GMT',
  OOOO: 'GMT',
  Z: '+0000',
  ZZ: '+0000',
  ZZZ: '+0000',
  ZZZZ: 'GMT',
  ZZZZZ: 'Z',
};

/** Returns the error message for an invalid style or Unicode date pattern (UTS #35), or undefined. */
export function wrongDatePattern(pattern: string): string | undefined {
  if (isStyle(pattern)) return undefined;
  if (pattern === '') return `the pattern is empty; omit it for ${DEFAULT}`;
  if (pattern.length > MAX_PATTERN) return `a pattern has at most ${MAX_PATTERN} characters`;
  for (const [token] of pattern.matchAll(TOKENS)) {
    const wrong = wrongToken(token);
    if (wrong) return wrong;
  }
  return undefined;
}

function wrongToken(token: string): string | undefined {
  const letter = token[0]!;
  if (token === "'") return "a quote is never closed; write two for one, such as d 'o''clock'";
  if (token === 'do' || !/[a-z]/i.test(letter) || token in FIXED || FIELDS[letter]?.test(token)) return undefined;
  if (/[YD]/.test(letter)) return 'Y and D count weeks and days of the year; write yyyy for the year and dd for the day';
  const known = letter in FIELDS || letter in FIXED;
  return (
    `${token.slice(0, SHOWN)} is not a field${known ? ' of this length' : ''}; a date pattern consists of Unicode fields, such as ` +
    `"d MMMM yyyy" or "HH:mm", with other words in single quotes: "yyyy-MM-dd'T'HH:mm"`
  );
}

/** Formats milliseconds since 1970 or a text by a pattern or style. Returns other values unchanged. */
export function formatDate(value: unknown, pattern: unknown, warn: Warn, reader: Reader): unknown {
  const read = timeIn(value, warn);
  if (!read) return value;
  if (pattern === undefined && reader.locale !== undefined) return styledDate(read, DEFAULT_STYLE, reader);
  if (isStyle(pattern)) return styledDate(read, pattern, reader);
  const zoned = read.isDay ? { ...reader, timeZone: 'UTC' } : reader;
  return formatted(read.time, textOf(pattern ?? DEFAULT), zoned);
}

function formatted(time: UTCDate, pattern: string, reader: Reader): string {
  const { shown, offsetMinutes } = wallClock(time, reader);
  const symbols = numberSymbols(reader);
  return pattern.replace(TOKENS, (token) => {
    if (token === "''") return "'";
    if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'");
    if (reader.timeZone === 'UTC' && Object.hasOwn(FIXED, token)) return FIXED[token]!;
    if (reader.timeZone !== 'UTC' && /^[zOZXx]/.test(token)) return zoneField(token, time, offsetMinutes, reader);
    const name = localName(token, shown, reader);
    if (name !== undefined) return name;
    // The formatter writes aaa and aaaa in lower case, so `a` replaces both.
    return localDigits(format(shown, /^a{3,4}$/.test(token) ? 'a' : token), symbols);
  });
}
