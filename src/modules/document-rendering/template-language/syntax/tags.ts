import { explain, withoutQuotes } from './other-languages.js';

/** Error found before parsing, with its offset. */
export class WrongTag extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

/** Tags, comments, ends of comments, and start and end tags of style elements. */
const MARK = /\{\{|\{%|\{#|#\}|<style(?=[\s/>])|<\/style(?=[\s/>])/gi;
const BLOCK_TAG = /^\{%-?\s*(\w*)/;
const RAW_TAG = /^\{%-?\s*(raw|verbatim)\s*-?%\}/;
const ENDS: Record<string, string> = { endif: 'if', endfor: 'for', endblock: 'block' };
const OPENED = new Set(Object.values(ENDS));

interface Block {
  name: string;
  at: number;
}

/**
 * Checks the tags before parsing, since the parser reports unclosed tags only at the end of the text, and reads `{#` in minified CSS
 * as a comment. Finds unclosed tags and tags of other template languages. Returns the offsets of literal braces.
 * @throws WrongTag
 */
export function findTags(text: string, isHtml: boolean): number[] {
  const asText: number[] = [];
  const blocks: Block[] = [];
  let isStyle = false;
  MARK.lastIndex = 0;
  for (let mark = MARK.exec(text); mark; mark = MARK.exec(text)) {
    const { 0: kind, index: at } = mark;
    if (kind.startsWith('<')) {
      isStyle = isHtml && kind[1] !== '/';
    } else if (kind === '#}') {
      asText.push(at + 1);
    } else if (isStyle && kind !== '{{' && !isTagInStyle(text, at)) {
      asText.push(at);
    } else {
      const tag = kind === '{#' ? comment(text, at, isStyle) : checked(text, at, kind === '{{' ? '}}' : '%}');
      if (kind === '{%') followBlock(blocks, tag, at);
      MARK.lastIndex = at + tag.length;
      const [, raw] = RAW_TAG.exec(tag) ?? [];
      if (raw) MARK.lastIndex = endOfRaw(text, at + tag.length, raw, at);
    }
  }
  const open = blocks.at(-1);
  if (open) throw new WrongTag(`{% ${open.name} %} is never closed by {% end${open.name} %}`, open.at);
  return asText;
}

/**
 * Distinguishes a comment tag from `{#id{…}}` in minified CSS: it is closed within the CSS rule where it begins, or has a space after
 * its delimiter.
 */
function isTagInStyle(text: string, at: number): boolean {
  const rest = text.slice(at + 2, at + 2 + MAX_STYLE_TAG);
  return /^-?\s/.test(rest) || (text[at + 1] === '#' ? /^[^{}<]*?#\}/ : /^[^{}]*?%\}/).test(rest);
}

const MAX_STYLE_TAG = 10_000;

function comment(text: string, at: number, isStyle: boolean): string {
  const end = text.indexOf('#}', at + 2);
  const inner = text.indexOf('{#', at + 2);
  if (end < 0) throw new WrongTag('{# is never closed by #}; to write {# as text, use {% raw %}{#{% endraw %}', at);
  if (inner >= 0 && inner < end) throw new WrongTag('{# is not closed by #} before the next {#', at);
  const tag = text.slice(at, end + 2);
  if (isStyle && /<\/style/i.test(tag)) throw new WrongTag('{# is not closed by #} before the end of this <style>', at);
  return tag;
}

function checked(text: string, at: number, end: string): string {
  const tag = closedBy(text, at, end);
  const explanation = explain(tag ?? text.slice(at, at + MAX_TAUGHT));
  if (explanation) throw new WrongTag(explanation, at);
  if (tag === undefined) throw new WrongTag(`${text.slice(at, at + 2)} is never closed by ${end}`, at);
  if (/["']/.test(withoutQuotes(tag).replaceAll('""', ''))) throw new WrongTag('a quote in this tag is never closed', at);
  return tag;
}

const MAX_TAUGHT = 40;

/** Returns the tag up to its end outside quotes; undefined if another tag or the end of the text comes first. */
function closedBy(text: string, at: number, end: string): string | undefined {
  const quotesAndMarks = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|\}\}|%\}|\{\{|\{%/g;
  quotesAndMarks.lastIndex = at + 2;
  for (let found = quotesAndMarks.exec(text); found; found = quotesAndMarks.exec(text)) {
    if (found[0] === end) return text.slice(at, quotesAndMarks.lastIndex);
    if (found[0] === '{{' || found[0] === '{%') return undefined;
  }
  return undefined;
}

function endOfRaw(text: string, from: number, name: string, at: number): number {
  const tags = new RegExp(`\\{%-?\\s*(end)?${name}\\s*-?%\\}`, 'g');
  tags.lastIndex = from;
  let depth = 1;
  for (let tag = tags.exec(text); tag; tag = tags.exec(text)) {
    depth += tag[1] ? -1 : 1;
    if (depth === 0) return tags.lastIndex;
  }
  throw new WrongTag(`{% ${name} %} is never closed by {% end${name} %}`, at);
}

function followBlock(blocks: Block[], tag: string, at: number): void {
  const name = BLOCK_TAG.exec(tag)![1]!;
  if (OPENED.has(name)) {
    blocks.push({ name, at });
    return;
  }
  const closes = Object.hasOwn(ENDS, name) ? ENDS[name] : undefined;
  const open = blocks.at(-1);
  if (!closes) return;
  if (!open) throw new WrongTag(`{% ${name} %} closes nothing; write {% ${closes} %} before it`, at);
  if (open.name !== closes)
    throw new WrongTag(`{% ${open.name} %} is closed by {% ${name} %}; write {% end${open.name} %}`, open.at);
  blocks.pop();
}
