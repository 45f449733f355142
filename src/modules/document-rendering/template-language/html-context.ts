/** Where in an HTML document some text ends. Attribute and element names are in lower case. */
export interface HtmlState {
  readonly at:
    | 'text'
    | 'comment'
    | 'rawText'
    | 'tagOpen'
    | 'tagName'
    | 'declaration'
    | 'tag'
    | 'attributeName'
    | 'afterAttributeName'
    | 'beforeValue'
    | 'value';
  readonly element: string;
  readonly attribute: string;
  readonly quote: '"' | "'" | '';
  readonly closing: boolean;
}

/** What becomes of a parameter at some place, or why it cannot stand there. */
export type Place = 'escaped' | 'url' | 'urlList' | 'css' | { refused: string };

export const HTML_START: HtmlState = { at: 'text', element: '', attribute: '', quote: '', closing: false };

const RAW_TEXT = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext']);
const URL_ATTRIBUTES = new Set(
  (
    'href src action formaction background cite codebase data dynsrc icon longdesc lowsrc manifest poster profile ' +
    'usemap classid xlink:href from to by'
  ).split(' '),
);
const URL_LIST_ATTRIBUTES = new Set(['srcset', 'imagesrcset', 'ping', 'archive', 'values']);
const SPACE = /[\t\n\f\r ]/;

type Step = (state: HtmlState, text: string, from: number) => [HtmlState, number];

/** Each takes the longest piece of the text that it can; together they read HTML as a browser's tokenizer does. */
const STEPS: Record<HtmlState['at'], Step> = {
  text: (state, text, from) => {
    const open = text.indexOf('<', from);
    return open < 0 ? [state, text.length] : [{ ...HTML_START, at: 'tagOpen' }, open + 1];
  },
  tagOpen: (_, text, from) => {
    const rest = text.slice(from, from + 7).toLowerCase();
    if (rest.startsWith('!--[if')) return [{ ...HTML_START, at: 'declaration' }, from + 6]; // mail readers look inside these
    if (/^!--(-?>)/.test(rest)) return [HTML_START, text.indexOf('>', from) + 1];
    if (rest.startsWith('!--')) return [{ ...HTML_START, at: 'comment' }, from + 3];
    if (rest.startsWith('/') && /^\/[a-z]/.test(rest)) return [{ ...HTML_START, at: 'tagName', closing: true }, from + 1];
    if (/^[a-z]/.test(rest)) return [{ ...HTML_START, at: 'tagName' }, from];
    return /^[!?/]/.test(rest) ? [{ ...HTML_START, at: 'declaration' }, from + 1] : [HTML_START, from];
  },
  comment: (state, text, from) => until(state, text, from, '-->'),
  declaration: (state, text, from) => until(state, text, from, '>'),
  rawText: (state, text, from) => {
    const end = new RegExp(`</${state.element}(?=[\\t\\n\\f\\r />]|$)`, 'gi');
    end.lastIndex = from;
    const found = end.exec(text);
    if (!found) return [state, text.length];
    return [{ ...HTML_START, at: 'tag', element: state.element, closing: true }, end.lastIndex];
  },
  tagName: (state, text, from) => {
    const end = next(/[\t\n\f\r />]/g, text, from);
    const element = state.element + text.slice(from, end).toLowerCase();
    return [{ ...state, element, at: end < text.length ? 'tag' : 'tagName' }, end];
  },
  tag: (state, text, from) => {
    if (text[from] === '>') return [afterTag(state), from + 1];
    if (text[from] === '/' || SPACE.test(text[from]!)) return [{ ...state, attribute: '' }, from + 1];
    return [{ ...state, at: 'attributeName', attribute: '' }, from];
  },
  attributeName: (state, text, from) => {
    const end = next(/[\t\n\f\r />=]/g, text, from);
    const attribute = state.attribute + text.slice(from, end).toLowerCase();
    return [{ ...state, attribute, at: end < text.length ? 'afterAttributeName' : 'attributeName' }, end];
  },
  afterAttributeName: (state, text, from) => {
    if (SPACE.test(text[from]!)) return [state, from + 1];
    return text[from] === '=' ? [{ ...state, at: 'beforeValue' }, from + 1] : [{ ...state, at: 'tag' }, from];
  },
  beforeValue: (state, text, from) => {
    const first = text[from]!;
    if (SPACE.test(first)) return [state, from + 1];
    if (first === '>') return [afterTag(state), from + 1];
    if (first === '"' || first === "'") return [{ ...state, at: 'value', quote: first }, from + 1];
    return [{ ...state, at: 'value', quote: '' }, from];
  },
  value: (state, text, from) => {
    const end = state.quote ? next(new RegExp(state.quote, 'g'), text, from) : next(/[\t\n\f\r >]/g, text, from);
    if (end === text.length) return [state, end];
    return [{ ...state, at: 'tag', attribute: '', quote: '' }, state.quote ? end + 1 : end];
  },
};

/** Where the text ends that begins at `state`; `passing` is told each state and where in the text it begins. */
export function advance(state: HtmlState, text: string, passing?: (state: HtmlState, at: number) => void): HtmlState {
  let now = state;
  for (let at = 0; at < text.length;) {
    const [then, end] = STEPS[now.at](now, text, at);
    if (then !== now) passing?.(then, end);
    [now, at] = [then, end];
  }
  return now;
}

/** The state after two branches, or nothing when what follows would be read differently after each. */
export function join(one: HtmlState, other: HtmlState): HtmlState | undefined {
  if (isSame(one, other)) return one;
  const inTag = (state: HtmlState) => ['tag', 'attributeName', 'afterAttributeName'].includes(state.at);
  if (!inTag(one) || !inTag(other) || one.element !== other.element || one.closing !== other.closing) return undefined;
  // `<option {% if chosen %}selected{% endif %}>`: whichever attribute it was, it takes no parameter as its value.
  return { ...one, at: 'afterAttributeName', attribute: UNKNOWN };
}

const UNKNOWN = '?';

export function placeIn({ at, element, attribute, quote }: HtmlState): Place {
  if (at === 'text' || at === 'comment') return 'escaped';
  if (at === 'rawText') return inRawText(element);
  if (at !== 'value' && at !== 'beforeValue') {
    return { refused: 'inside a tag; put it into a quoted attribute value' };
  }
  if (at === 'beforeValue' || quote === '') return { refused: 'in an unquoted attribute value; put quotes around the value' };
  if (attribute.startsWith('on')) return { refused: `in the event handler ${attribute}; put it into a data- attribute` };
  if (attribute === 'srcdoc' || attribute === UNKNOWN) return { refused: 'in this attribute; put it into the text' };
  if (attribute === 'style') return 'css';
  if (URL_ATTRIBUTES.has(attribute)) return 'url';
  // The content of a meta element may be a refresh: `5; url=…`.
  return URL_LIST_ATTRIBUTES.has(attribute) || (element === 'meta' && attribute === 'content') ? 'urlList' : 'escaped';
}

function inRawText(element: string): Place {
  if (element === 'script') return { refused: 'inside <script>; put it into a data- attribute that the script reads' };
  return element === 'style' ? 'css' : 'escaped';
}

function afterTag({ element, closing }: HtmlState): HtmlState {
  return !closing && RAW_TEXT.has(element) ? { ...HTML_START, at: 'rawText', element } : HTML_START;
}

function until(state: HtmlState, text: string, from: number, end: string): [HtmlState, number] {
  const found = text.indexOf(end, from);
  return found < 0 ? [state, text.length] : [HTML_START, found + end.length];
}

function next(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}

function isSame(one: HtmlState, other: HtmlState): boolean {
  return (['at', 'element', 'attribute', 'quote', 'closing'] as const).every((part) => one[part] === other[part]);
}
