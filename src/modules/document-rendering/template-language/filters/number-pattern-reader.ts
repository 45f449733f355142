const MAX_PATTERN = 100;
const MAX_DIGITS = 20;

/** Text around the digits. */
interface Affixes {
  prefix: string;
  suffix: string;
}

export interface NumberPattern {
  positive: Affixes;
  negative: Affixes;
  /** Power of ten to multiply by: 2 for percent, 3 for per mille. */
  scale: number;
  /** Format of the digits, without sign and grouping. */
  digits: Intl.NumberFormat;
  /** Number of digits in the last group, and in the groups before it; 0 without groups. */
  grouping: [number, number];
  /** Minimum number of digits before the point; 0 if none is required, as in `.5`. */
  minWhole: number;
}

/** A quoted text (two quotes stand for one), or a character. */
const TOKENS = /'(?:[^']|'')*'|./gsu;
const DIGIT = /^[#0-9.,@]$/;
const DIGITS = /^(#*(?:,#+)*)(0*(?:,0+)*)(?:\.(0*)(#*))?$/;
const EXAMPLES = 'number patterns look like "#,##0.00", "0.#" or "0%"';

const NOT_POSSIBLE: [RegExp, string][] = [
  [/¤/, 'currencies are not supported, since a number has none; write the sign, such as "€ #,##0.00"'],
  [/@/, 'significant digits (@) are not supported; write the digits after the point, such as "0.##"'],
  [/[1-9]/, `rounding to a digit is not supported; put 1 to 9 into single quotes to write them; ${EXAMPLES}`],
];

/** Parses a Unicode number pattern (UTS #35). Returns an error message for an invalid pattern. */
export function readNumberPattern(pattern: string): NumberPattern | string {
  if (pattern.length > MAX_PATTERN) return `a pattern has at most ${MAX_PATTERN} characters`;
  const tokens: string[] = pattern.match(TOKENS) ?? [];
  if (tokens.includes("'")) return "a quote is never closed; write two for one, such as 0 'o''clock'";
  const unquoted = tokens.filter((token) => !token.startsWith("'")).join('');
  const impossible = NOT_POSSIBLE.find(([found]) => found.test(unquoted));
  if (impossible) return impossible[1];
  const semicolon = tokens.indexOf(';');
  const positive = split(semicolon < 0 ? tokens : tokens.slice(0, semicolon));
  const negative = semicolon < 0 ? undefined : split(tokens.slice(semicolon + 1));
  if (typeof positive === 'string') return positive;
  if (typeof negative === 'string') return negative;
  return numberPattern(positive, negative);
}

interface Subpattern {
  prefix: string[];
  digits: string;
  suffix: string[];
}

function split(tokens: string[]): Subpattern | string {
  const isDigit = (token: string | undefined) => token !== undefined && DIGIT.test(token);
  const first = tokens.findIndex(isDigit);
  if (first < 0) return EXAMPLES;
  let end = first;
  while (isDigit(tokens[end])) end += 1;
  const [prefix, suffix] = [tokens.slice(0, first), tokens.slice(end)];
  if (/^E\+?0/.test(suffix.join('')))
    return 'exponents are not supported; to write an E after a number, put it into single quotes';
  const special = [...prefix, ...suffix].find((token) => /^[#0-9.,;*]$/.test(token));
  if (special) return `${special} is not allowed there; put it into single quotes to write it as text; ${EXAMPLES}`;
  return { prefix, digits: tokens.slice(first, end).join(''), suffix };
}

function numberPattern(positive: Subpattern, negative: Subpattern | undefined): NumberPattern | string {
  const [, optional, required = '', least = '', more = ''] = DIGITS.exec(positive.digits) ?? [];
  if (optional === undefined || !/[0#]/.test(positive.digits)) return EXAMPLES;
  const hasPoint = positive.digits.includes('.');
  const zeros = required.replaceAll(',', '').length;
  if (Math.max(zeros, least.length + more.length) > MAX_DIGITS)
    return `a pattern has at most ${MAX_DIGITS} digits on each side of the point`;
  const scales = [...positive.prefix, ...positive.suffix].filter((token) => token in SCALES);
  if (scales.length > 1) return 'a pattern can have one % or ‰; put another into single quotes';
  const affixes = written(positive, hasPoint && least + more === '' ? '.' : '');
  const whole = optional + required;
  const isBareFraction = whole === '';
  return {
    positive: affixes,
    negative: negativeOf(affixes, negative && written(negative, '')),
    scale: SCALES[scales[0] ?? ''] ?? 0,
    digits: new Intl.NumberFormat('en', {
      useGrouping: false,
      minimumIntegerDigits: Math.max(1, zeros),
      minimumFractionDigits: isBareFraction ? Math.max(1, least.length) : least.length,
      maximumFractionDigits: least.length + more.length,
    }),
    grouping: groupingOf(whole),
    // As in ICU, the whole part is always written if digits are optional on both sides, as in `#.##`.
    minWhole: zeros > 0 || (!isBareFraction && least === '') ? Math.max(1, zeros) : 0,
  };
}

/** Returns the affixes of negative numbers: those in the pattern, or those of positive numbers with a minus. */
function negativeOf(positive: Affixes, given: Affixes | undefined): Affixes {
  const isGiven = given && (given.prefix !== positive.prefix || given.suffix !== positive.suffix);
  return isGiven ? given : { ...positive, prefix: `-${positive.prefix}` };
}

const SCALES: Record<string, number> = { '%': 2, '‰': 3 };

function groupingOf(whole: string): [number, number] {
  const groups = whole.split(',').slice(1);
  const [first, second] = [groups.at(-1), groups.at(-2)];
  return first === undefined ? [0, 0] : [first.length, (second ?? first).length];
}

function written({ prefix, suffix }: Subpattern, point: string): Affixes {
  return { prefix: textOfTokens(prefix), suffix: point + textOfTokens(suffix) };
}

/** Removes quotes. Two quotes stand for one. */
function textOfTokens(tokens: string[]): string {
  return tokens.map((token) => (token === "''" ? "'" : token.replace(/^'(.*)'$/s, '$1').replaceAll("''", "'"))).join('');
}
