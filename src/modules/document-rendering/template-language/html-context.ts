import { decodeHTMLAttribute } from 'entities';
import { advanceCss, type CssState, CSS_START, endDeclaration, Misplaced } from './css-context.js';
import { closed, isSameOpen, opened, type OpenElements } from './open-elements.js';

/** Where in an HTML document some text ends, in one reading of it. Attribute and element names are in lower case. */
export interface HtmlState {
  readonly at:
    | 'text'
    | 'comment'
    | 'commentValue'
    | 'cdata'
    | 'rawText'
    | 'escapedScript'
    | 'doubleEscapedScript'
    | 'tagOpen'
    | 'tagName'
    | 'declaration'
    | 'tag'
    | 'attributeName'
    | 'afterAttributeName'
    | 'eitherName'
    | 'maybeName'
    | 'beforeValue'
    | 'value'
    | 'lost';
  readonly element: string;
  readonly attribute: string;
  readonly quote: '"' | "'" | '';
  readonly closing: boolean;
  /** Whether the tag ends as `/>`, as far as it was read. */
  readonly selfClosing: boolean;
  /** What can only be read together with what follows. */
  readonly pending: string;
  /** What the author wrote of this value; nothing when a parameter is in it, or branches differ. */
  readonly authored: string | undefined;
  /** Whether the compiler marked where this value begins. */
  readonly isMarked: boolean;
  /** Of the tag: its `rel`, or `http-equiv`; `?` when it is not known. */
  readonly kind: string;
  /** Whether a parameter is in the `content` of this tag. */
  readonly hasContentValue: boolean;
  /** Where in CSS, inside a style element or attribute. */
  readonly css: CssState | undefined;
  readonly open: OpenElements | undefined;
}

export const HTML_START: HtmlState = {
  at: 'text',
  element: '',
  attribute: '',
  quote: '',
  closing: false,
  selfClosing: false,
  pending: '',
  authored: '',
  isMarked: false,
  kind: '',
  hasContentValue: false,
  css: undefined,
  open: undefined,
};

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

/** Where the text goes on, and how: in several ways when browsers could read it in several. */
type Step = (state: HtmlState, text: string, from: number) => [next: HtmlState | HtmlState[], at: number];

/** Each takes the longest piece of the text that it can; together they read HTML as a browser's tokenizer does. */
const STEPS: Record<HtmlState['at'], Step> = {
  text: (state, text, from) => {
    const end = next(/</g, text, from);
    const read = inStyle(state) ? withCss(state, text.slice(from, end)) : state;
    return end === text.length ? [read, end] : [{ ...fresh(read), at: 'tagOpen' }, end + 1];
  },
  tagOpen: (state, text, from) => {
    const rest = lower(text.slice(from, from + 8));
    if (isBeginning(rest, ['!--[if', '![cdata[', '/'])) return [{ ...state, pending: text.slice(from) }, text.length];
    // Mail programs look inside of these, browsers do not.
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
  /** A parameter before it can end in the dashes that end a comment. */
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
    // A name may begin with an equals sign, and only begin with one.
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

/** Begins the name of an attribute that is not known: branches differ. */
export const UNKNOWN = '?';

/** After branches that end in different attributes, or one of them in none: an equals sign may be of either. */
function afterBranches(state: HtmlState, mark: string, from: number, afterEquals: HtmlState): [HtmlState, number] {
  if (SPACE.test(mark)) return [{ ...state, attribute: '' }, from + 1];
  if (mark === '=') return [afterEquals, from + 1];
  return [{ ...state, at: mark === '/' || mark === '>' ? 'tag' : 'attributeName' }, from];
}

/** An end of a comment is longer than this only for nobody's sake. */
const MAX_END = 100;

/**
 * Where the text ends that begins at `state`, in all readings; `passing` is told each state that is left, and where. The one
 * that is behind goes on, so that readings meet and are one again.
 */
export function advanceReading(state: HtmlState, added: string, passing: (left: HtmlState, at: number) => void): HtmlState[] {
  const text = state.pending + added;
  const readings: Reading[] = [{ now: { ...state, pending: '' }, at: 0 }];
  for (;;) {
    const behind = readings.reduce((one, other) => (other.at < one.at ? other : one));
    if (behind.at >= text.length) return readings.map(({ now }) => now);
    const [then, at] = STEPS[behind.now.at](behind.now, text, behind.at);
    const [first, ...others] = Array.isArray(then) ? then : [then];
    if (first!.at !== behind.now.at) passing(behind.now, at - state.pending.length);
    if (readings.length > 1 && isMet(readings, behind, first!, at)) readings.splice(readings.indexOf(behind), 1);
    else Object.assign(behind, { now: first, at });
    for (const other of others) readings.push({ now: other, at });
    if (readings.length > MAX_READINGS) return [LOST];
  }
}

interface Reading {
  now: HtmlState;
  at: number;
}

function isMet(readings: Reading[], self: Reading, now: HtmlState, at: number): boolean {
  return readings.some((other) => other !== self && other.at === at && isSameText(other.now, now));
}

/** Whether all that follows is read the same. In a tag there is more to compare, and it ends soon. */
export function isSameText(one: HtmlState, other: HtmlState): boolean {
  if (one.at !== 'text' || other.at !== 'text' || one.pending !== other.pending) return false;
  return isSameOpen(one.open, other.open) && JSON.stringify(one.css) === JSON.stringify(other.css);
}

export const MAX_READINGS = 16;
/** In more ways than are followed: nothing can be said of what comes. */
export const LOST: HtmlState = { ...HTML_START, at: 'lost' };

function fresh({ open, css }: HtmlState): HtmlState {
  return { ...HTML_START, open, css: inStyle({ open }) ? css : undefined };
}

/** A style element of SVG, whose text is text like any other. */
export function inStyle({ open }: Pick<HtmlState, 'open'>): boolean {
  return open?.name === 'style';
}

function withCss(state: HtmlState, piece: string): HtmlState {
  const css = state.css ?? CSS_START;
  if (state.at === 'rawText') return { ...state, css: advanceCss(css, piece) };
  // Character references count as what they stand for; one that is not complete waits.
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
    throw new Misplaced('in the content before http-equiv; write http-equiv first');
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

/** Inside SVG and the like a raw text element may be one like any other; without scripts, so is <noscript>. */
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
  // What could be the beginning of the end waits for the rest.
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

function isBeginning(rest: string, of: string[]): boolean {
  return of.some((whole) => rest.length < whole.length && whole.startsWith(rest));
}

function search(pattern: RegExp, text: string, from: number): { at: number; found: string } | undefined {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match ? { at: match.index, found: match[0] } : undefined;
}

function next(pattern: RegExp, text: string, from: number): number {
  return search(pattern, text, from)?.at ?? text.length;
}

/** Of ASCII only, as browsers do it: the Kelvin sign is no k. */
function lower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
