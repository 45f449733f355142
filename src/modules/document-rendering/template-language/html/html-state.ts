import type { CssState } from './css-context.js';
import { isSameOpen, type OpenElements } from './open-elements.js';

/** Tokenizer state at the end of a text, in one possible interpretation. Attribute and element names are in lower case. */
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
  /** True if the last character in the tag is a `/`. */
  readonly selfClosing: boolean;
  /** End of the text that can be parsed only together with the following text. */
  readonly pending: string;
  /** Template text in this attribute value; undefined if it contains a parameter, or branches differ. */
  readonly authored: string | undefined;
  /** True if the compiler has marked the start of this value. */
  readonly isMarked: boolean;
  /** Value of the tag's `rel` or `http-equiv`; `?` if unknown. */
  readonly kind: string;
  /** True if the `content` of this tag contains a parameter. */
  readonly hasContentValue: boolean;
  /** CSS state within a style element or attribute. */
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

/** First character of an attribute name that is unknown because branches differ. */
export const UNKNOWN = '?';

/** State of a text with too many interpretations, of which nothing is known. */
export const LOST: HtmlState = { ...HTML_START, at: 'lost' };

/** Returns true if both states parse the following text alike. Compares states outside tags only, since tags end soon. */
export function isSameText(one: HtmlState, other: HtmlState): boolean {
  if ((one.at !== 'text' && one.at !== 'tagOpen') || other.at !== one.at || one.pending !== other.pending) return false;
  return isSameOpen(one.open, other.open) && JSON.stringify(one.css) === JSON.stringify(other.css);
}

/** Returns the state after a tag, comment or declaration. */
export function fresh({ open, css }: HtmlState): HtmlState {
  return { ...HTML_START, open, css: inStyle({ open }) ? css : undefined };
}

/** Returns true inside a style element of SVG, whose content is tokenized as ordinary text. */
export function inStyle({ open }: Pick<HtmlState, 'open'>): boolean {
  return open?.name === 'style';
}
