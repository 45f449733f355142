import { textOf } from './escaping.js';

const DEFAULT = '#,##0.###';
const MAX_PATTERN = 100;
/** Unicode's number patterns (UTS #35), without scientific notation and negative patterns. */
const PATTERN = /^((?:[^#0.,'%]|'[^']*')*)([#,]*[0,]*(?:\.(0*)(#*))?)(%?)((?:[^#0.,'%]|'[^']*')*)$/;
const MAX_DIGITS = 20;

interface NumberPattern {
  prefix: string;
  suffix: string;
  digits: Intl.NumberFormat;
}

const known = new Map<string, NumberPattern>();
const MAX_KNOWN = 1_000;

export function wrongNumberPattern(pattern: string): string | undefined {
  if (pattern.length > MAX_PATTERN) return `a pattern has at most ${MAX_PATTERN} characters`;
  return read(pattern) ? undefined : 'a number pattern is such as "#,##0.00", "0.#" or "0%"';
}

/** A number, or a text that is one. What is no number is given back as it is. */
export function formatNumber(value: unknown, pattern: unknown): unknown {
  const text = textOf(value);
  const number = typeof value === 'number' ? value : text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(number)) return value;
  const { prefix, digits, suffix } = patternOf(pattern === undefined ? DEFAULT : textOf(pattern));
  return prefix + digits.format(number) + suffix;
}

function patternOf(pattern: string): NumberPattern {
  const made = known.get(pattern) ?? read(pattern);
  if (!made) throw new Error(`not a number pattern: ${pattern}`); // refused when the template was compiled
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(pattern, made);
  return made;
}

function read(pattern: string): NumberPattern | undefined {
  const match = PATTERN.exec(pattern);
  const [, prefix = '', digits = '', least = '', more = '', percent = '', suffix = ''] = match ?? [];
  const whole = digits.split('.')[0]!;
  const zeros = whole.replace(/[^0]/g, '').length;
  if (!/[0#]/.test(digits) || Math.max(zeros, least.length + more.length) > MAX_DIGITS) return undefined;
  return {
    prefix: unquoted(prefix),
    suffix: unquoted(suffix),
    digits: new Intl.NumberFormat('en', {
      style: percent ? 'percent' : 'decimal',
      useGrouping: whole.includes(','),
      minimumIntegerDigits: Math.max(1, zeros),
      minimumFractionDigits: least.length,
      maximumFractionDigits: least.length + more.length,
    }),
  };
}

/** A quoted text stands for itself, two quotes for one. */
function unquoted(text: string): string {
  return text.replace(/'([^']*)'/g, (_, inner: string) => inner || "'");
}
