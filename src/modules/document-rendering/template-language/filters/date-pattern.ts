import { UTCDate } from '@date-fns/utc';
import { format } from 'date-fns/format';
import { textOf } from '../text/escaping.js';
import type { Warn } from '../result/warnings.js';

const DEFAULT = 'yyyy-MM-dd';
const MAX_PATTERN = 100;
const SHOWN = 40;
/** A date, optionally with a time and a zone, as in ISO 8601 and as databases write it. */
const TIME = /^(\d{4}-\d\d-(\d\d))(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

const UNREADABLE =
  'written as it is, because it is not a date: a date is such as 2024-07-16, 2024-07-16T15:00:00Z or 2024-07-16 15:00:00, or a ' +
  'number of milliseconds since 1970';

/** Matches a quoted text (in which two quotes stand for one), a field (`do` is the day with its ordinal), or any other text. */
const TOKENS = /'(?:[^']|'')*'|do|([a-zA-Z])\1*|'|[^a-zA-Z']+/g;

/** The fields of Unicode's date patterns (UTS #35) that have the same meaning in the formatter, with their allowed lengths. */
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

/** Fields with the same value for all times, because times are formatted in UTC. */
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

/** Returns what is wrong with a date pattern of Unicode (UTS #35), or undefined. */
export function wrongDatePattern(pattern: string): string | undefined {
  if (pattern === '') return `the pattern is empty; leave it out for ${DEFAULT}`;
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
    `${token.slice(0, SHOWN)} is not a field${known ? ' of this length' : ''}; a date pattern is made of Unicode's letters, such as ` +
    `"d MMMM yyyy" or "HH:mm", and other words stand in single quotes: "yyyy-MM-dd'T'HH:mm"`
  );
}

/** Formats a time in UTC, given in milliseconds since 1970 or as a text. Returns any other value unchanged. */
export function formatDate(value: unknown, pattern: unknown, warn: Warn): unknown {
  if (value === null || value === undefined) return value;
  const date = typeof value === 'number' ? new UTCDate(value) : dateIn(textOf(value));
  if (date && !Number.isNaN(date.getTime())) return formatted(date, textOf(pattern ?? DEFAULT));
  warn(UNREADABLE);
  return value;
}

function formatted(date: UTCDate, pattern: string): string {
  return pattern.replace(TOKENS, (token) => {
    if (token === "''") return "'";
    if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'");
    if (Object.hasOwn(FIXED, token)) return FIXED[token]!;
    // The formatter writes aaa and aaaa in lower case, so `a` is used for both.
    return format(date, /^a{3,4}$/.test(token) ? 'a' : token);
  });
}

/** Parses a date. Returns undefined for a day that does not exist, since 30 February would otherwise become 1 March. */
function dateIn(text: string): UTCDate | undefined {
  const [, day, dayOfMonth, time = '00:00', zone = 'Z'] = TIME.exec(text.trim()) ?? [];
  if (day === undefined || new Date(day).getUTCDate() !== Number(dayOfMonth)) return undefined;
  return new UTCDate(`${day}T${time}${zone.length === 3 ? `${zone}:00` : zone.toUpperCase()}`);
}
