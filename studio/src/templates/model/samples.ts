import type { Read } from './reads';

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
export type Params = { [name: string]: Json };

/** Parsed sample data: an object, or the reason why it is invalid. */
export type Parsed = { params: Params } | { at: number; reason: string };

export function parseParams(text: string): Parsed {
  if (text.trim() === '') return { params: {} };
  try {
    const value = JSON.parse(text) as Json;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { params: value };
    return { at: 0, reason: 'Enter a JSON object, for example {"name": "Ada"}' };
  } catch (error) {
    const reason = (error as Error).message;
    const position = /position (\d+)/.exec(reason)?.[1];
    const short = reason.replace(/,? ?(\.\.\.)?"[^]*" is not valid JSON$/, '').replace(/ in JSON at position.*$/, '');
    return { at: position === undefined ? text.length : Number(position), reason: `Invalid JSON: ${short}` };
  }
}

/** Returns dotted names in sample data, with `[]` for list items. */
export function pathsIn(value: Json, base = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.slice(0, 20).flatMap((item) => pathsIn(item, `${base}[]`)))];
  if (typeof value !== 'object' || value === null) return base ? [base] : [];
  const inner = Object.entries(value).flatMap(([name, one]) => pathsIn(one, base ? `${base}.${name}` : name));
  return base ? [base, ...inner] : inner;
}

type Step = { name: string } | { index: number } | 'each';

const stepsOf = (path: string): Step[] =>
  [...path.matchAll(/\[(\d*)\]|[^.[\]]+/g)].map(({ 0: word, 1: index }) =>
    index === undefined ? { name: word } : index === '' ? 'each' : { index: Number(index) },
  );

/** Adds a value for each missing name, in a shape that the template can use. Existing values stay. */
export function fillIn(params: Params, missing: readonly string[], reads: readonly Read[]): Params {
  const filled = structuredClone(params);
  const inside = reads.filter(({ path }) =>
    missing.some((name) => path === name || (/^[.[]/.test(path.slice(name.length)) && path.startsWith(name))),
  );
  const paths = new Set([...missing, ...inside.map(({ path }) => path)]);
  for (const path of paths) put(filled, stepsOf(path), placeholder(path, reads));
  return filled;
}

const LONGEST_LIST = 100;

/** Sets a missing value. An empty list on the way gets one item. */
function put(target: Json, [step, ...rest]: readonly Step[], value: Json): void {
  if (step === undefined || typeof target !== 'object' || target === null) return;
  const next = rest.length > 0 ? (typeof rest[0] === 'object' && 'name' in rest[0] ? {} : []) : value;
  if (Array.isArray(target)) {
    if (step === 'each') {
      if (target.length === 0) target.push(structuredClone(next));
      target.forEach((item, at) => (target[at] = deepened(item, next)));
      for (const item of target) put(item, rest, value);
    } else if ('index' in step && step.index < LONGEST_LIST) {
      while (target.length <= step.index) target.push(structuredClone(next));
      put(target[step.index]!, rest, value);
    }
    return;
  }
  if (step === 'each' || 'index' in step) return;
  target[step.name] = deepened(Object.hasOwn(target, step.name) ? target[step.name] : undefined, next);
  put(target[step.name]!, rest, value);
}

/** Replaces a placeholder text by the object or list that is needed in its place. */
const deepened = (present: Json | undefined, next: Json): Json =>
  present === undefined || (typeof next === 'object' && next !== null && typeof present === 'string' && present === '')
    ? structuredClone(next)
    : present;

const HINTS: readonly (readonly [RegExp, Json])[] = [
  [/(url|link|href|address$)/i, 'https://example.com/'],
  [/(e?mail)/i, 'ada@example.com'],
  [/first_?name/i, 'Ada'],
  [/last_?name/i, 'Lovelace'],
  [/(total|price|amount|sum|cost|tax|fee|subtotal)/i, 19.9],
  [/(count|quantity|qty|number_of|days|hours)/i, 2],
  [/(date|_at$|At$|due|day|deadline|expires)/, '2026-11-23'],
  [/(number|_id$|Id$|^id$|code)/, '2026-1001'],
  [/(phone|tel)/i, '+44 20 7946 0000'],
  [/(currency)/i, 'EUR'],
];

function placeholder(path: string, reads: readonly Read[]): Json {
  const uses = reads.filter((read) => read.path === path);
  if (uses.some(({ isList }) => isList)) return [];
  if (uses.some(({ filter }) => filter === 'date')) return '2026-11-23T09:30:00Z';
  if (uses.some(({ filter }) => filter === 'number' || filter === 'round')) return 19.9;
  if (uses.some(({ filter }) => filter === 'join')) return ['one', 'two'];
  if (uses.length > 0 && uses.every(({ isCondition }) => isCondition)) return true;
  const name = /([^.[\]]+)(?:\[\d*\])*$/.exec(path)?.[1] ?? path;
  const hint = HINTS.find(([pattern]) => pattern.test(name));
  if (hint) return hint[1];
  if (/name$/i.test(name)) return path.startsWith('items') ? 'Desk lamp' : 'Ada Lovelace';
  const words = name
    .replaceAll('_', ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
