import { refusedSchemeIn } from './addresses.js';

/** State of the CSS tokenizer at the end of a text. */
export interface CssState {
  /** Enclosing construct whose content is not tokenized. */
  readonly within: '' | '"' | "'" | 'comment' | 'url';
  /** Open brackets, outermost first: `{`, `[`, `(`, `a` for a URL function, `x` for a refused function. */
  readonly open: string;
  /** Current part of a statement: none yet, its name or selector, or its value; `either` if branches differ. */
  readonly statement: 'start' | 'name' | 'value' | 'either';
  /** Property or @rule, in lower case, if entirely from the template. */
  readonly property: string;
  /** Last word of the text, which the following text may continue. */
  readonly word: string;
  /** True if a parameter is part of this word, which is therefore unknown. */
  readonly isWordGiven: boolean;
  /** True if a parameter is part of the property name. */
  readonly isNameGiven: boolean;
  /** Current URL, if any. */
  readonly address: CssAddress | undefined;
  /** End of the text that can be parsed only together with the following text. */
  readonly pending: string;
}

export interface CssAddress {
  /** Template text before the first parameter; undefined if branches differ. */
  readonly authored: string | undefined;
  readonly hasValue: boolean;
}

/** Error for a parameter in a context where it is not allowed. The compiler adds the position. */
export class Misplaced extends Error {}

/** Escaping of a parameter in a CSS context, or the reason why it is not allowed. */
export type CssPlace =
  | { css: 'tokens'; isTop: boolean; allowsTexts: boolean }
  | { css: 'text' }
  | { css: 'address'; address: CssAddress }
  | { refused: string };

export const CSS_START: CssState = {
  within: '',
  open: '',
  statement: 'start',
  property: '',
  word: '',
  isWordGiven: false,
  isNameGiven: false,
  address: undefined,
  pending: '',
};

const ADDRESS_FUNCTIONS = new Set(['url', 'src', 'image', 'image-set', '-webkit-image-set', 'cross-fade', '-webkit-cross-fade']);
const ADDRESS_RULES = new Set(['@import', '@namespace', '@charset', '@document', '@-moz-document']);
const PROPERTIES_THAT_RUN = new Set(['behavior', '-ms-behavior', '-moz-binding']);
const WORD = /(?:[-\w\u0080-\uffff]|\\[^\n\r\f])+/y;
const NO_ADDRESS: CssAddress = { authored: '', hasValue: false };

/** Advances the state over a text. @throws Misplaced if a preceding parameter was a whole declaration */
export function advanceCss(state: CssState, added: string): CssState {
  const text = state.pending + added;
  let now: CssState = { ...state, pending: '' };
  for (let at = 0; at < text.length;) {
    // A backslash with its next character is one token, and so are `/*` and `*/`.
    const last = text[text.length - 1]!;
    if (at === text.length - 1 && (last === '\\' || (last === '/' && now.within === ''))) return { ...now, pending: last };
    if (at === text.length - 1 && last === '*' && now.within === 'comment') return { ...now, pending: last };
    [now, at] = now.within === '' ? readPlain(now, text, at) : readWithin(now, text, at);
  }
  return now;
}

function readWithin(state: CssState, text: string, at: number): [CssState, number] {
  const { within } = state;
  if (within === 'comment') {
    const end = text.indexOf('*/', at);
    if (end >= 0) return [{ ...state, within: '' }, end + 2];
    return [state, text.endsWith('*') && at < text.length - 1 ? text.length - 1 : text.length];
  }
  if (within === 'url' && isEmpty(state.address) && /["']/.test(text[at]!)) {
    return [{ ...state, within: text[at] as '"', open: `${state.open}a` }, at + 1];
  }
  const ends = within === 'url' ? /[)\\]/g : new RegExp(`[${within}\\\\\\n\\r\\f]`, 'g');
  ends.lastIndex = at;
  const end = ends.exec(text)?.index ?? text.length;
  const grown = { ...state, address: grow(state.address, text.slice(at, end)) };
  if (end === text.length) return [grown, end];
  if (text[end] === '\\') {
    if (end + 1 === text.length) return [grown, end];
    // An escape could encode any character of a scheme, so the template text is unknown from here.
    return [{ ...grown, address: grown.address && { authored: undefined, hasValue: grown.address.hasValue } }, end + 2];
  }
  return [{ ...grown, within: '', address: undefined }, end + 1];
}

function isEmpty(address: CssAddress | undefined): boolean {
  return address !== undefined && !address.hasValue && address.authored !== undefined && address.authored.trim() === '';
}

function grow(address: CssAddress | undefined, text: string): CssAddress | undefined {
  return address?.authored === undefined ? address : { ...address, authored: address.authored + text };
}

function readPlain(state: CssState, text: string, at: number): [CssState, number] {
  WORD.lastIndex = at;
  const word = WORD.exec(text)?.[0];
  if (word !== undefined) return [{ ...begun(state), word: state.word + word.toLowerCase() }, at + word.length];
  const mark = text[at]!;
  if (mark === '(') return [called(state), at + 1];
  if (mark === '/' && text[at + 1] === '*') return [{ ...endWord(state), within: 'comment' }, at + 2];
  return [marked(endWord(state), mark), at + 1];
}

function begun(state: CssState): CssState {
  return state.statement === 'start' ? { ...state, statement: 'name' } : state;
}

/** Ends a word, and with it the name of a property or @rule. */
function endWord(state: CssState): CssState {
  const { word, statement, property, isNameGiven } = state;
  if (word === '') return state.isWordGiven ? { ...state, isWordGiven: false } : state;
  const named = statement === 'name' && !isNameGiven && (property === '' || property === '@') ? property + word : property;
  return { ...state, property: named, word: '', isWordGiven: false };
}

function called(state: CssState): CssState {
  const { word, isWordGiven, open } = state;
  const after = begun(endWord(state));
  if (isWordGiven) throw new Misplaced('as the name of a function; write the name, with the parameter inside the brackets');
  if (word === 'url') return { ...after, within: 'url', address: NO_ADDRESS };
  const kind = ADDRESS_FUNCTIONS.has(word) ? 'a' : word === 'expression' || word.includes('\\') ? 'x' : '(';
  return { ...after, open: open + kind };
}

const CLOSES: Record<string, string> = { ')': '(ax', ']': '[', '}': '{' };

function marked(state: CssState, mark: string): CssState {
  const { open } = state;
  const inner = open.at(-1);
  const isInBrackets = inner !== undefined && inner !== '{';
  if (mark === '"' || mark === "'") {
    const isAddress = inner === 'a' || ADDRESS_RULES.has(state.property);
    return { ...begun(state), within: mark, address: isAddress ? NO_ADDRESS : undefined };
  }
  if (mark === '[') return { ...begun(state), open: `${open}[` };
  if (mark === '{') return { ...reset(state), open: `${open}{` };
  if (Object.hasOwn(CLOSES, mark)) {
    const isClosing = inner !== undefined && CLOSES[mark]!.includes(inner);
    if (mark === '}' && !isInBrackets) endDeclaration(state);
    const closed = isClosing ? open.slice(0, -1) : open;
    return mark === '}' && !isInBrackets ? { ...reset(state), open: closed } : { ...state, open: closed };
  }
  if (mark === ';' && !isInBrackets) {
    endDeclaration(state);
    return reset(state);
  }
  if (mark === ':' && !isInBrackets && state.statement === 'name' && !state.property.startsWith('@')) {
    return { ...state, statement: 'value' };
  }
  if (mark === '@' && state.statement === 'start') return { ...state, statement: 'name', property: '@' };
  return /\s/.test(mark) ? state : begun(state);
}

function reset(state: CssState): CssState {
  return { ...CSS_START, open: state.open };
}

/** Checks the end of a declaration. @throws Misplaced if a parameter is the whole declaration, since it could set any property */
export function endDeclaration({ statement, isNameGiven, property }: CssState): void {
  if (statement === 'name' && isNameGiven && !property.startsWith('@')) {
    throw new Misplaced('as a whole declaration; write its property before it, such as color: {{ color }}');
  }
}

export function cssPlace({ pending, within, open, statement, property, address }: CssState): CssPlace {
  if (/^[\\&]/.test(pending)) return { refused: `right after ${pending} in CSS; write the character itself` };
  if (within === 'comment') return { refused: 'in a CSS comment; use {# … #} instead' };
  if (property === '@') return { refused: 'in the name of a CSS rule; write the name in the template' };
  if (ADDRESS_RULES.has(property)) return { refused: `in ${property}; write the stylesheet URL in the template` };
  if (PROPERTIES_THAT_RUN.has(property) && statement !== 'name') return { refused: `in ${property}, which can run a script` };
  if (open.includes('x')) return { refused: 'in this CSS function, which can run a script' };
  if (statement === 'either') {
    return {
      refused: 'where only one branch is inside a CSS declaration; end the declarations of each branch with ;',
    };
  }
  if (address) {
    const scheme = refusedSchemeIn(address.authored ?? '', true);
    return scheme ? { refused: `in a URL that begins with ${scheme}` } : { css: 'address', address };
  }
  if (within === '"' || within === "'") return { css: 'text' };
  const inner = open.slice(open.lastIndexOf('{') + 1);
  return { css: 'tokens', isTop: inner === '', allowsTexts: !inner.includes('a') };
}

/** Returns the state after a parameter. */
export function afterCssValue(state: CssState): CssState {
  const { address, within } = state;
  if (address) return { ...state, address: { ...address, hasValue: true } };
  if (within !== '') return state;
  const now = begun(state.pending === '' ? state : advanceCss(state, ' '));
  return { ...now, isWordGiven: true, word: '', isNameGiven: now.isNameGiven || now.statement === 'name' };
}

/** Returns the start state of every loop iteration: that after the text before the loop, or after an iteration. */
export function anyPass(state: CssState): CssState {
  const { address } = state;
  return { ...state, address: address && { authored: undefined, hasValue: address.hasValue } };
}

/** Returns the state after two branches; undefined if they would make the following text parse differently. */
export function joinCss(one: CssState, other: CssState): CssState | undefined {
  if (one.within !== other.within || one.open !== other.open || one.pending !== other.pending) return undefined;
  if ((one.address === undefined) !== (other.address === undefined)) return undefined;
  const same = one.address?.authored === other.address?.authored;
  return {
    ...one,
    statement: one.statement === other.statement ? one.statement : 'either',
    property: one.property === other.property ? one.property : '',
    word: one.word === other.word ? one.word : '',
    isWordGiven: one.isWordGiven || other.isWordGiven || one.word !== other.word,
    isNameGiven: one.isNameGiven || other.isNameGiven,
    address: one.address && {
      authored: same ? one.address.authored : undefined,
      hasValue: one.address.hasValue || other.address!.hasValue,
    },
  };
}
