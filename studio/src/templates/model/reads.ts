/** A use of a parameter in a template. */
export interface Read {
  /** Name as in the API, such as `items[].price`. */
  path: string;
  from: number;
  to: number;
  /** Filter directly after it. */
  filter: string | undefined;
  /** Whether a for block iterates over it. */
  isList: boolean;
  /** Whether only an if block uses it. */
  isCondition: boolean;
}

const TAG = /\{#[^]*?#\}|\{%-?\s*(raw|verbatim)\s*-?%\}[^]*?\{%-?\s*end\1\s*-?%\}|\{\{-?([^]*?)-?\}\}|\{%-?\s*(\w+)([^]*?)-?%\}/g;
const NAME = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|\|\s*\w+|[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*|\[\d+\])*/gu;
const FOR = /^\s*(\w+)(?:\s*,\s*(\w+))?\s+in\s+([^]*)$/;
const WORDS = new Set(['and', 'or', 'not', 'in', 'if', 'else', 'true', 'false', 'none', 'null', 'loop']);

/** Loop variables and their paths; undefined for keys and numbers. */
type Scope = ReadonlyMap<string, string | undefined>;

/** Finds the parameters of a template, as far as possible without rendering it. */
export function readsOf(text: string): Read[] {
  const reads: Read[] = [];
  const scopes: Scope[] = [new Map()];
  for (const tag of text.matchAll(TAG)) {
    const [whole, , printed, block, inside = ''] = tag;
    const scope = scopes.at(-1)!;
    if (printed !== undefined) reads.push(...readsIn(printed, tag.index + whole.indexOf(printed, 2), scope));
    if (block === 'if' || block === 'elif' || block === 'elseif') {
      const found = readsIn(inside, tag.index + whole.lastIndexOf(inside), scope);
      reads.push(...found.map((read) => ({ ...read, isCondition: true })));
    }
    if (block === 'for') scopes.push(looped(inside, tag.index + whole.lastIndexOf(inside), scope, reads));
    if (block === 'endfor' && scopes.length > 1) scopes.pop();
  }
  return reads;
}

function looped(inside: string, at: number, scope: Scope, reads: Read[]): Scope {
  const found = FOR.exec(inside);
  if (!found) return scope;
  const [, first, second, list] = found as unknown as [string, string, string | undefined, string];
  const [read] = readsIn(list, at + inside.lastIndexOf(list), scope);
  if (read) reads.push({ ...read, isList: second === undefined });
  const item = read && `${read.path}[]`;
  return new Map([...scope, ...(second ? [[first, undefined] as const, [second, item] as const] : [[first, item] as const])]);
}

function readsIn(code: string, at: number, scope: Scope): Read[] {
  const reads: Read[] = [];
  for (const { 0: word, index } of code.matchAll(NAME)) {
    if (word.startsWith('|')) {
      const last = reads.at(-1);
      if (last && last.filter === undefined && code.slice(last.to - at, index).trim() === '') last.filter = word.slice(1).trim();
      continue;
    }
    const first = /^[^.[]+/.exec(word)![0];
    if (/^["']/.test(word) || WORDS.has(first)) continue;
    const base = scope.has(first) ? scope.get(first) : first;
    if (base === undefined) continue;
    const path = base + word.slice(first.length);
    reads.push({ path, from: at + index, to: at + index + word.length, filter: undefined, isList: false, isCondition: false });
  }
  return reads;
}

/** Returns loop variables available at a position. */
export function loopNamesAt(text: string, at: number): string[] {
  const names: string[][] = [];
  for (const { 3: block, 4: inside = '' } of text.slice(0, at).matchAll(TAG)) {
    if (block === 'for') names.push((FOR.exec(inside)?.slice(1, 3) ?? []).filter(Boolean));
    if (block === 'endfor') names.pop();
  }
  return names.length > 0 ? [...names.flat(), 'loop.index', 'loop.first', 'loop.last', 'loop.length'] : [];
}
