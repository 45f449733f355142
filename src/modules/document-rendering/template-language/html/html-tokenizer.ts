import { decodeHTMLAttribute } from 'entities';
import { advanceCss, CSS_START, endDeclaration, Misplaced } from './css-context.js';
import { fresh, HTML_START, type HtmlState, inStyle, LOST, UNKNOWN } from './html-state.js';
import { closed, opened } from './open-elements.js';

const RAW_TEXT = new Set([
  'script',
  'style',
  'textarea',
  'title',
  'xmp',
  'iframe',
  'noembed',
  'noframes',
  'plaintext',
  'noscript',
]);
const SPACE = /[\t\n\f\r ]/;

/** Returns the next state with its offset; several states if browsers could parse the text in several ways. */
type Step = (state: HtmlState, text: string, from: number) => [next: HtmlState | HtmlState[], at: number];

/** Tokenizer steps of a browser, by state. Each consumes the longest possible piece of text. */
export const STEPS: Record<HtmlState['at'], Step> = {
  text: (state, text, from) => {
    const end = next(/</g, text, from);
    const read = inStyle(state) ? withCss(state, text.slice(from, end)) : state;
    return end === text.length ? [read, end] : [{ ...fresh(read), at: 'tagOpen' }, end + 1];
  },
  tagOpen: (state, text, from) => {
    const rest = lower(text.slice(from, from + 8));
    if (isBeginning(rest, ['!--[if', '![cdata[', '/'])) return [{ ...state, pending: text.slice(from) }, text.length];
    // Mail clients parse the content of conditional comments; browsers do not. Both interpretations are tracked.
    if (rest.startsWith('!--[if'))
      return [
        [
          { ...state, at: 'declaration' },
          { ...state, at: 'comment' },
        ],
        from + 6,
      ];
    const [whole] = /^!--(?:-?>)?/.exec(rest) ?? [];
    if (whole) return [{ ...state, at: whole.endsWith('>') ? 'text' : 'comment' }, from + whole.length];
    if (/^\/[a-z]/.test(rest)) return [{ ...state, at: 'tagName', closing: true }, from + 1];
    if (/^[a-z]/.test(rest)) return [{ ...state, at: 'tagName' }, from];
    const declaration: HtmlState = { ...state, at: 'declaration' };
    if (state.open && rest === '![cdata[') return [[{ ...state, at: 'cdata' }, declaration], from + 8];
    return /^[!?/]/.test(rest) ? [declaration, from + 1] : [{ ...state, at: 'text' }, from];
  },
  comment: (state, text, from) => until(state, text, from, /--!?>/g),
  /** Comment after a parameter. The value can end in dashes, which may belong to the end of the comment. */
  commentValue: (state, text, from) => {
    const [end] = /^-*!?>?/.exec(text.slice(from, from + MAX_END)) ?? [''];
    if (!end.endsWith('>')) {
      if (from + end.length === text.length && end !== '') return [{ ...state, pending: end }, text.length];
      return [{ ...state, at: 'comment' }, from];
    }
    const ended = fresh(state);
    return [end.startsWith('--') ? ended : [ended, { ...state, at: 'comment' }], from + end.length];
  },
  cdata: (state, text, from) => until(state, text, from, /\]\]>/g),
  declaration: (state, text, from) => until(state, text, from, />/g),
  rawText: (state, text, from) => {
    if (state.element === 'plaintext') return [state, text.length];
    const escapes = state.element === 'script' ? '|<!--' : '';
    const end = search(new RegExp(`</${state.element}(?=[\\t\\n\\f\\r />])${escapes}`, 'gi'), text, from);
    if (end?.found === '<!--') return [{ ...state, at: 'escapedScript' }, end.at + 2];
    return ended(state, text, from, end);
  },
  escapedScript: (state, text, from) => {
    const end = search(/<\/script(?=[\t\n\f\r />])|<script(?=[\t\n\f\r />])|-->/gi, text, from);
    if (end?.found === '-->') return [{ ...state, at: 'rawText' }, end.at + 3];
    if (end && !end.found.startsWith('</')) return [{ ...state, at: 'doubleEscapedScript' }, end.at + end.found.length];
    return ended(state, text, from, end);
  },
  doubleEscapedScript: (state, text, from) => {
    const end = search(/<\/script(?=[\t\n\f\r />])|-->/gi, text, from);
    if (!end) return ended(state, text, from, end);
    return [{ ...state, at: end.found === '-->' ? 'rawText' : 'escapedScript' }, end.at + end.found.length];
  },
  tagName: (state, text, from) => {
    const end = next(/[\t\n\f\r />]/g, text, from);
    const element = state.element + lower(text.slice(from, end));
    return [{ ...state, element, at: end < text.length ? 'tag' : 'tagName' }, end];
  },
  tag: (state, text, from) => {
    const mark = text[from]!;
    if (mark === '>') return [afterTag(state), from + 1];
    const between = { ...state, attribute: '', selfClosing: mark === '/' };
    if (mark === '/' || SPACE.test(mark)) return [between, from + 1];
    // Attribute names can begin with an equals sign, but not contain one.
    return [{ ...between, at: 'attributeName', attribute: mark === '=' ? '=' : '' }, mark === '=' ? from + 1 : from];
  },
  attributeName: (state, text, from) => {
    const end = next(/[\t\n\f\r />=]/g, text, from);
    const attribute = state.attribute + lower(text.slice(from, end));
    return [{ ...state, attribute, at: end < text.length ? 'afterAttributeName' : 'attributeName' }, end];
  },
  afterAttributeName: (state, text, from) => {
    if (SPACE.test(text[from]!)) return [state, from + 1];
    return text[from] === '=' ? [{ ...state, at: 'beforeValue' }, from + 1] : [{ ...state, at: 'tag' }, from];
  },
  eitherName: (state, text, from) => afterBranches(state, text[from]!, from, { ...state, at: 'beforeValue', attribute: UNKNOWN }),
  maybeName: (state, text, from) => afterBranches(state, text[from]!, from, LOST),
  beforeValue: (state, text, from) => {
    const first = text[from]!;
    if (SPACE.test(first)) return [state, from + 1];
    if (first === '>') return [afterTag(state), from + 1];
    const css = state.attribute === 'style' ? CSS_START : undefined;
    const value: HtmlState = { ...state, at: 'value', authored: '', isMarked: false, css };
    if (first === '"' || first === "'") return [{ ...value, quote: first }, from + 1];
    return [{ ...value, quote: '' }, from];
  },
  value: (state, text, from) => {
    const end = state.quote ? next(new RegExp(state.quote, 'g'), text, from) : next(/[\t\n\f\r >]/g, text, from);
    const piece = text.slice(from, end);
    const authored = state.authored === undefined ? undefined : state.authored + piece;
    const read: HtmlState = { ...(state.css ? withCss(state, piece) : state), authored };
    return end === text.length ? [read, end] : [afterValue(read), state.quote ? end + 1 : end];
  },
  lost: (state, text) => [state, text.length],
};

/** Returns the state after branches of which one ends in an attribute. An equals sign may belong to either branch's attribute. */
function afterBranches(state: HtmlState, mark: string, from: number, afterEquals: HtmlState): [HtmlState, number] {
  if (SPACE.test(mark)) return [{ ...state, attribute: '' }, from + 1];
  if (mark === '=') return [afterEquals, from + 1];
  return [{ ...state, at: mark === '/' || mark === '>' ? 'tag' : 'attributeName' }, from];
}

/** Maximum length of a recognized comment end. No author writes more dashes. */
const MAX_END = 100;

function withCss(state: HtmlState, piece: string): HtmlState {
  const css = state.css ?? CSS_START;
  if (state.at === 'rawText') return { ...state, css: advanceCss(css, piece) };
  // Decodes character references. An incomplete one is pending until the rest is read.
  const [, whole = '', cut = ''] = /^(.*?)(&#?\w{0,40})?$/s.exec(css.pending.startsWith('&') ? css.pending + piece : piece)!;
  const before = css.pending.startsWith('&') ? { ...css, pending: '' } : css;
  const read = advanceCss(before, decodeHTMLAttribute(whole));
  return { ...state, css: cut ? { ...(read.pending ? advanceCss(read, ' ') : read), pending: cut } : read };
}

function afterValue(state: HtmlState): HtmlState {
  const { attribute, css, element, authored } = state;
  if (css && attribute === 'style') endDeclaration(css);
  const tellsKind = (element === 'link' && attribute === 'rel') || (element === 'meta' && attribute === 'http-equiv');
  if (tellsKind && element === 'meta' && state.hasContentValue) {
    throw new Misplaced('in content before http-equiv; write http-equiv first');
  }
  const told = authored === undefined ? '?' : decodeHTMLAttribute(authored).trim().toLowerCase() || '-';
  const kind = tellsKind && state.kind === '' ? told : state.kind;
  return {
    ...state,
    at: 'tag',
    attribute: '',
    quote: '',
    authored: '',
    isMarked: false,
    selfClosing: false,
    css: undefined,
    kind,
  };
}

/**
 * Returns the states after a tag. A raw text element may be ordinary inside SVG and similar elements, and <noscript> if scripts are
 * disabled.
 */
function afterTag({ element, closing, selfClosing, open }: HtmlState): HtmlState | HtmlState[] {
  if (closing) return { ...HTML_START, open: closed(open, element) };
  const inside: HtmlState = { ...HTML_START, open: opened(open, element, selfClosing) };
  if (!RAW_TEXT.has(element)) return inside;
  const raw: HtmlState = { ...HTML_START, at: 'rawText', element, open };
  return open || element === 'noscript' ? [inside, raw] : raw;
}

function ended(state: HtmlState, text: string, from: number, end: ReturnType<typeof search>): [HtmlState, number] {
  const read = (to: number) => (state.element === 'style' ? withCss(state, text.slice(from, to)) : state);
  if (end) {
    if (state.element === 'style') endStyle(read(end.at));
    return [{ ...HTML_START, at: 'tag', closing: true, open: state.open }, end.at + end.found.length];
  }
  // A possible start of the end tag is pending until the rest is read.
  const beginning = state.element === 'script' ? /(?:<[!/]?[a-z-]*|-{1,2})$/i : /<(?:\/[a-z]*)?$/i;
  const cut = beginning.exec(text.slice(Math.max(from, text.length - MAX_RAW_END)))?.[0] ?? '';
  return [{ ...read(text.length - cut.length), pending: cut }, text.length];
}

const MAX_RAW_END = 12;

function endStyle({ css }: HtmlState): void {
  if (css) endDeclaration(css);
}

function until(state: HtmlState, text: string, from: number, end: RegExp): [HtmlState, number] {
  const found = search(end, text, from);
  if (found) return [fresh(state), found.at + found.found.length];
  const cut = /(?:-{1,2}!?|\]{1,2})$/.exec(text.slice(Math.max(from, text.length - 3)))?.[0] ?? '';
  return [{ ...state, pending: cut }, text.length];
}

function isBeginning(rest: string, candidates: string[]): boolean {
  return candidates.some((whole) => rest.length < whole.length && whole.startsWith(rest));
}

function search(pattern: RegExp, text: string, from: number): { at: number; found: string } | undefined {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match ? { at: match.index, found: match[0] } : undefined;
}

function next(pattern: RegExp, text: string, from: number): number {
  return search(pattern, text, from)?.at ?? text.length;
}

/** Converts only ASCII letters to lower case, as browsers do: the Kelvin sign does not become a k. */
function lower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
