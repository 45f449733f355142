import { type Completion, type CompletionContext, type CompletionResult, snippetCompletion } from '@codemirror/autocomplete';
import { loopNamesAt, readsOf } from '../model/reads';

/** A suggested parameter, and its source. */
export interface KnownParam {
  name: string;
  seen: string;
}

const FILTERS: readonly (readonly [name: string, written: string, does: string])[] = [
  ['capitalize', 'capitalize', 'one two → One two'],
  ['date', 'date("${d MMMM yyyy}")', 'format a date'],
  ['default', 'default("${text}")', 'value if missing'],
  ['escape', 'escape', 'escape HTML'],
  ['first', 'first', 'item or character'],
  ['join', 'join("${, }")', 'join a list'],
  ['last', 'last', 'item or character'],
  ['length', 'length', 'count items or characters'],
  ['lower', 'lower', 'lowercase'],
  ['nl2br', 'nl2br', 'line breaks to <br>'],
  ['number', 'number("${#,##0.00}")', 'format a number'],
  ['replace', 'replace("${old}", "${new}")', 'replace text'],
  ['round', 'round(${2})', 'round to digits'],
  ['title', 'title', 'One Two Three'],
  ['trim', 'trim', 'trim spaces'],
  ['truncate', 'truncate(${80})', 'limit characters'],
  ['upper', 'upper', 'UPPERCASE'],
  ['urlencode', 'urlencode', 'escape for a URL'],
];

const BLOCKS: readonly (readonly [label: string, written: string, does: string])[] = [
  ['if', 'if ${name} %}${}{% endif %}', 'if present'],
  ['if else', 'if ${name} %}${}{% else %}{% endif %}', 'if, otherwise'],
  ['for', 'for ${item} in ${items} %}\n\t${}\n{% endfor %}', 'for each item'],
  ['for else', 'for ${item} in ${items} %}\n\t${}\n{% else %}\n\t\n{% endfor %}', 'for each item, or if empty'],
  ['for key, value', 'for ${key}, ${value} in ${object} %}\n\t${}\n{% endfor %}', 'for each entry'],
  ['elif', 'elif ${name} %}', 'else if'],
  ['else', 'else %}', 'otherwise'],
  ['endif', 'endif %}', 'end of if'],
  ['endfor', 'endfor %}', 'end of for'],
  ['raw', 'raw %}${}{% endraw %}', 'literal braces'],
];

const filterOptions = FILTERS.map(([label, written, detail]) => snippetCompletion(written, { label, detail, type: 'function' }));
const blockOptions = BLOCKS.map(([label, written, detail]) => snippetCompletion(written, { label, detail, type: 'keyword' }));

/** Completes the content of template tags. */
export function completionOf(known: () => readonly KnownParam[]) {
  return (context: CompletionContext): CompletionResult | null => {
    const text = context.state.doc.toString();
    const open = openTag(text, context.pos);
    if (!open) return null;
    const inside = text.slice(open.at + 2, context.pos);
    if (/^-?\s*\w*$/.test(inside) && open.sign === '{%') {
      const word = /\w*$/.exec(inside)![0];
      return { from: context.pos - word.length, options: closing(blockOptions, text, context.pos), validFor: /^\w*$/ };
    }
    const filter = /\|\s*(\w*)$/.exec(inside);
    if (filter) return { from: context.pos - filter[1]!.length, options: filterOptions, validFor: /^\w*$/ };
    const word = /[\p{L}_][\p{L}\p{N}_.]*$/u.exec(inside)?.[0] ?? '';
    if (!word && !context.explicit && !/\{\{-? ?$/.test(text.slice(0, context.pos))) return null;
    return { from: context.pos - word.length, options: paramOptions(text, context.pos, known()), validFor: /^[\p{L}\p{N}_.]*$/u };
  };
}

/** A block that %} already closes retains that end. */
const closing = (options: readonly Completion[], text: string, at: number): readonly Completion[] =>
  /^\s*-?%\}/.test(text.slice(at, at + 4))
    ? options
        .filter(({ label }) => !label.includes(' '))
        .map(({ label, detail, type }) => ({ label, ...(detail && { detail }), ...(type && { type }) }))
    : options;

function openTag(text: string, at: number): { at: number; sign: string } | undefined {
  const before = text.slice(Math.max(0, at - 2_000), at);
  const start = Math.max(before.lastIndexOf('{{'), before.lastIndexOf('{%'));
  if (start < 0 || /\}\}|%\}/.test(before.slice(start + 2))) return undefined;
  return { at: at - before.length + start, sign: before.slice(start, start + 2) };
}

function paramOptions(text: string, at: number, known: readonly KnownParam[]): Completion[] {
  const options = new Map<string, Completion>();
  const add = (label: string, detail: string) =>
    options.has(label) || options.set(label, { label, detail, type: 'variable', boost: detail === 'loop' ? 2 : 1 });
  for (const name of loopNamesAt(text, at)) add(name, 'loop');
  for (const { path, from, to } of readsOf(text))
    if (!path.includes('[]') && !(from <= at && at <= to)) add(path, 'this template');
  for (const { name, seen } of known) if (!name.includes('[]')) add(name, seen);
  for (const [item, list] of loopsAt(text, at)) {
    for (const { name, seen } of known) if (name.startsWith(`${list}[].`)) add(`${item}${name.slice(list.length + 2)}`, seen);
  }
  return [...options.values()];
}

function loopsAt(text: string, at: number): [string, string][] {
  const found: [string, string][] = [];
  for (const { 1: item, 2: list, 3: end } of text
    .slice(0, at)
    .matchAll(/\{%-?\s*(?:for\s+(?:\w+\s*,\s*)?(\w+)\s+in\s+([\w.]+)|(endfor))/g)) {
    if (end) found.pop();
    else found.push([item!, list!]);
  }
  return found;
}
