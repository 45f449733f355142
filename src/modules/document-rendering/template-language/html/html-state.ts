import type { CssState } from './css-context.js';
import { isSameOpen, type OpenElements } from './open-elements.js';

/**
 * The state of the tokenizer at the end of some text, in one of the possible readings. Attribute and element names are in lower
 * case.
 */
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
  /** Whether the last character read in the tag is a `/`. */
  readonly selfClosing: boolean;
  /** The end of the text, if it can be read only together with the text that follows. */
  readonly pending: string;
  /** The author's text in this attribute value; undefined if a parameter is in the value, or branches differ. */
  readonly authored: string | undefined;
  /** Whether the compiler has marked where this value begins. */
  readonly isMarked: boolean;
  /** The tag's `rel` or `http-equiv`; `?` if unknown. */
  readonly kind: string;
  /** Whether the `content` of this tag has a parameter in it. */
  readonly hasContentValue: boolean;
  /** The state in CSS, within a style element or attribute. */
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

/** The first character of the name of an attribute that is unknown, since branches differ. */
export const UNKNOWN = '?';

/** The state if the text has more readings than are tracked, so that nothing is known about the rest. */
export const LOST: HtmlState = { ...HTML_START, at: 'lost' };

/**
 * Whether the following text is read in the same way from both states. Compares only states outside of tags, since a tag has more
 * to compare and soon ends.
 */
export function isSameText(one: HtmlState, other: HtmlState): boolean {
  if ((one.at !== 'text' && one.at !== 'tagOpen') || other.at !== one.at || one.pending !== other.pending) return false;
  return isSameOpen(one.open, other.open) && JSON.stringify(one.css) === JSON.stringify(other.css);
}

/** Returns the state after a tag, comment or declaration. */
export function fresh({ open, css }: HtmlState): HtmlState {
  return { ...HTML_START, open, css: inStyle({ open }) ? css : undefined };
}

/** Whether the state is in a style element of SVG, whose content is tokenized as ordinary text. */
export function inStyle({ open }: Pick<HtmlState, 'open'>): boolean {
  return open?.name === 'style';
}
