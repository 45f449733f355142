import { refusedSchemeIn } from './addresses.js';
import { afterCssValue, anyPass, CSS_START, type CssPlace, cssPlace, type CssState, joinCss } from './css-context.js';
import { advanceReadings, MAX_READINGS } from './html-readings.js';
import { HTML_START, type HtmlState, inStyle, isSameText, LOST, UNKNOWN } from './html-state.js';
import { isInside, isSameOpen } from './open-elements.js';

/** HTML position after a text: one state per interpretation by browsers and mail clients. */
export type HtmlPosition = readonly HtmlState[];

/** Escaping of a parameter in an HTML context, or the reason why it is not allowed. */
export type Place = 'escaped' | AddressPlace | StylePlace | Refusal;
export type StylePlace = Exclude<CssPlace, Refusal> & {
  /** True in a style attribute; false in a style element. */
  isQuoted?: boolean;
};
export interface AddressPlace {
  isList: boolean;
  isImage: boolean;
}
interface Refusal {
  refused: string;
}

export const PAGE_START: HtmlPosition = [HTML_START];

const ADDRESS_ATTRIBUTES = new Set(
  (
    'href src action formaction background cite codebase data dynsrc icon longdesc lowsrc manifest poster profile ' +
    'usemap classid xlink:href o:href o:althref r:href from to by'
  ).split(' '),
);
const ADDRESS_LISTS = new Set(['srcset', 'imagesrcset', 'ping', 'archive', 'values']);
const IMAGE_ATTRIBUTES = new Set(['background', 'poster', 'srcset', 'imagesrcset', 'dynsrc', 'lowsrc']);
const IMAGE_ELEMENTS = new Set([
  'img',
  'image',
  'feimage',
  'input',
  'source',
  'audio',
  'video',
  'track',
  'v:fill',
  'v:imagedata',
]);
/** Attributes whose target becomes part of the page, or the base of all other URLs. */
const ADDRESSES_OF_THE_PAGE: Record<string, readonly string[]> = {
  base: ['href'],
  embed: ['src'],
  fencedframe: ['src'],
  frame: ['src'],
  iframe: ['src'],
  object: ['archive', 'classid', 'codebase', 'data'],
  portal: ['src'],
  script: ['href', 'src', 'xlink:href'],
};
/** Values of `rel` for links that only refer to a page or show an image. */
const HARMLESS_RELS = new Set(
  (
    'alternate amphtml apple-touch-icon apple-touch-icon-precomposed author bookmark canonical dns-prefetch first help icon last ' +
    'license me next payment pingback preconnect prev prefetch privacy-policy search shortcut shortlink tag terms-of-service up'
  ).split(' '),
);
const INERT = new Set<HtmlState['at']>(['comment', 'commentValue']);

/** Returns the context common to all interpretations. Ignores those in which the position is inert, such as a comment. */
export function placeIn(position: HtmlPosition): Place {
  const live = position.filter((state) => !isInert(state));
  const cut = position.find((state) => isInert(state) && state.at === 'rawText' && state.pending !== '');
  if (cut) return { refused: `right after ${cut.pending}; put a space before it` };
  const [place = 'escaped', ...others] = live.map(placeOf);
  if (isRefusal(place) || others.length === 0) return place;
  const refusal = others.find(isRefusal);
  if (refusal) return refusal;
  const isAgreed =
    typeof place === 'object' && 'css' in place && others.every((other) => JSON.stringify(other) === JSON.stringify(place));
  if (isAgreed || [place, ...others].every((each) => each === 'escaped')) return place;
  return { refused: 'where browsers can parse the HTML in several ways; close the elements and comments before it' };
}

function isRefusal(place: Place): place is Refusal {
  return typeof place === 'object' && 'refused' in place;
}

/** Returns true if any text without `<` and `>` is inert here. */
function isInert({ at, element }: HtmlState): boolean {
  return INERT.has(at) || (at === 'rawText' && element !== 'script' && element !== 'style');
}

/** Returns the context in one interpretation. */
export function placeOf(state: HtmlState): Place {
  const { at, attribute, quote, pending, css } = state;
  if (at === 'lost') return { refused: 'in HTML that browsers can parse in many ways; close its elements in order' };
  if (at === 'text') return inText(state);
  if (at === 'rawText' && state.element === 'style') {
    return pending === '' ? cssPlace(css ?? CSS_START) : { refused: `right after ${pending}; put a space before it` };
  }
  if (at === 'rawText' || at === 'escapedScript' || at === 'doubleEscapedScript') return IN_SCRIPT;
  if (at === 'cdata' || at === 'declaration') return { refused: 'in a declaration of HTML; put it into the text' };
  if (at === 'tagOpen' && pending.startsWith('!--')) return { refused: 'right after <!--; put a space before it' };
  if (at !== 'value' && at !== 'beforeValue') return { refused: 'inside a tag; put it into a quoted attribute value' };
  if (at === 'beforeValue' || quote === '') return { refused: 'in an unquoted attribute value; put quotes around the value' };
  if (attribute.startsWith('on')) return { refused: `in the event handler ${attribute}; put it into a data- attribute` };
  if (attribute === 'srcdoc' || attribute.startsWith(UNKNOWN)) return { refused: 'in this attribute; put it into the text' };
  return css ? inStyleAttribute(css) : inAttribute(state);
}

const IN_SCRIPT: Refusal = { refused: 'inside <script>; put it into a data- attribute that the script reads' };

function inText(state: HtmlState): Place {
  if (isInside(state.open, 'script')) return IN_SCRIPT;
  if (inStyle(state)) return cssPlace(state.css ?? CSS_START);
  return isInside(state.open, 'style') ? { refused: 'inside an element in <style>; put it into the style itself' } : 'escaped';
}

function inStyleAttribute(css: CssState): Place {
  const place = cssPlace(css);
  return 'refused' in place ? place : { ...place, isQuoted: true };
}

function inAttribute(state: HtmlState): Place {
  const { element, attribute, kind, authored, isMarked } = state;
  if (Object.hasOwn(ADDRESSES_OF_THE_PAGE, element) && ADDRESSES_OF_THE_PAGE[element]!.includes(attribute)) {
    return {
      refused: `in the ${attribute} of <${element}>, which decides what the page loads and runs; write the URL in the template`,
    };
  }
  if (element === 'link' && attribute === 'href' && !isHarmlessLink(kind)) {
    return { refused: 'in the href of this <link>; first write a rel that loads no code, such as rel="canonical" or rel="icon"' };
  }
  const isRefresh = element === 'meta' && attribute === 'content' && (kind === 'refresh' || kind === UNKNOWN);
  const isList = isRefresh || ADDRESS_LISTS.has(attribute);
  if (!isList && !ADDRESS_ATTRIBUTES.has(attribute)) return 'escaped';
  const isImage = IMAGE_ATTRIBUTES.has(attribute) || IMAGE_ELEMENTS.has(element);
  const scheme = authored === undefined || isList ? undefined : refusedSchemeIn(authored, isImage);
  if (scheme) return { refused: `in a URL that begins with ${scheme}` };
  if (!isMarked) return { refused: 'where browsers can parse the HTML in several ways; close the elements before it' };
  return { isList, isImage };
}

function isHarmlessLink(rel: string): boolean {
  return rel.split(/\s+/).every((word) => HARMLESS_RELS.has(word));
}

/** Advances a position over a text. @throws Misplaced if the text shows that a preceding parameter is not allowed */
export function advance(position: HtmlPosition, text: string, passing: (left: HtmlState, at: number) => void): HtmlPosition {
  return merged(advanceReadings(position, text, passing));
}

function merged(position: HtmlState[]): HtmlPosition {
  if (position.length === 1) return position;
  const kept: HtmlState[] = [];
  for (const state of position) if (!kept.some((other) => isSameText(other, state))) kept.push(state);
  return kept.length > MAX_READINGS || kept.includes(LOST) ? [LOST] : kept;
}

/** Marks the only interpretation in which the next parameter is part of a URL. `written` is the length of the URL so far. */
export function markAddress(position: HtmlPosition): { position: HtmlPosition; written: number } | undefined {
  const [state, ...others] = position.filter((each) => !isInert(each));
  if (!state || others.length > 0 || state.at !== 'value' || state.isMarked || state.authored === undefined) return undefined;
  if (state.css || state.quote === '') return undefined;
  const marked = { ...state, isMarked: true };
  const place = placeOf(marked);
  if (typeof place !== 'object' || !('isList' in place)) return undefined;
  return { position: position.map((each) => (each === state ? marked : each)), written: state.authored.length };
}

/** Returns the position after a parameter. */
export function afterValue(position: HtmlPosition): HtmlPosition {
  return position.map((state) => {
    const { at, css, element, attribute } = state;
    if (INERT.has(at)) return { ...state, at: 'commentValue', pending: '' };
    if (at !== 'value') return css ? { ...state, css: afterCssValue(css) } : state;
    const isContent = element === 'meta' && attribute === 'content';
    const hasContentValue = state.hasContentValue || (isContent && (state.kind === '' || state.kind === UNKNOWN));
    return { ...state, authored: undefined, hasContentValue, css: css && afterCssValue(css) };
  });
}

/** Returns the HTML position that covers the start of any loop iteration. */
export function anyPassOf(position: HtmlPosition): HtmlPosition {
  return position.map((state) => {
    if (INERT.has(state.at)) return { ...state, at: 'commentValue', pending: '' };
    return state.css ? { ...state, css: anyPass(state.css) } : state;
  });
}

/** Returns the position after two branches; undefined if they would make the following text parse differently. */
export function join(one: HtmlPosition, other: HtmlPosition): HtmlPosition | undefined {
  if (one.length !== other.length) return undefined;
  const joined: HtmlState[] = [];
  for (const [index, state] of one.entries()) {
    const both = joinStates(state, other[index]!);
    if (!both) return undefined;
    joined.push(both);
  }
  return joined;
}

const COMPARED = ['at', 'element', 'attribute', 'quote', 'closing', 'pending', 'isMarked'] as const;
const NAMED = new Set<HtmlState['at']>(['attributeName', 'afterAttributeName', 'eitherName']);
const IN_TAG = new Set<HtmlState['at']>([...NAMED, 'tag', 'maybeName']);

function joinStates(one: HtmlState, other: HtmlState): HtmlState | undefined {
  if (!isSameOpen(one.open, other.open)) return undefined;
  const joined = {
    kind: one.kind === other.kind ? one.kind : UNKNOWN,
    hasContentValue: one.hasContentValue || other.hasContentValue,
    selfClosing: one.selfClosing && other.selfClosing,
    authored: one.authored === other.authored ? one.authored : undefined,
  };
  const css = (one.css ?? other.css) && joinCss(one.css ?? CSS_START, other.css ?? CSS_START);
  if (INERT.has(one.at) && INERT.has(other.at)) return { ...one, at: 'commentValue', pending: '' };
  if (COMPARED.every((member) => one[member] === other[member])) {
    return isCssLost(one.css, other.css, css) ? undefined : { ...one, ...joined, css };
  }
  if (!IN_TAG.has(one.at) || !IN_TAG.has(other.at) || one.element !== other.element || one.closing !== other.closing)
    return undefined;
  // An attribute of only one branch, as in `<option {% if chosen %}selected{% endif %}>`, cannot have a parameter as its value.
  const at = NAMED.has(one.at) && NAMED.has(other.at) ? 'eitherName' : 'maybeName';
  return { ...one, ...joined, at, attribute: UNKNOWN, css: undefined };
}

function isCssLost(one: CssState | undefined, other: CssState | undefined, joined: CssState | undefined): boolean {
  return (one ?? other) !== undefined && joined === undefined;
}

/** Returns true if the next loop iteration can begin where the last one ended. */
export function isSamePass(before: HtmlPosition, after: HtmlPosition): boolean {
  return before.every(({ css, at, attribute }, index) => {
    const then = after[index]!;
    if (at !== then.at || attribute !== then.attribute) return false;
    return (css ?? CSS_START).statement === (then.css ?? CSS_START).statement;
  });
}
