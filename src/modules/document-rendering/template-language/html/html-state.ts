import type { CssState } from './css-context.js';
import { isSameOpen, type OpenElements } from './open-elements.js';

/** The tokenizer's state at the end of some text, in one reading of it. Attribute and element names are in lower case. */
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
  /** Whether the tag ends with `/>`, as far as it was read. */
  readonly selfClosing: boolean;
  /** The end of the text, when it can be read only together with the text after it. */
  readonly pending: string;
  /** The author's text in this attribute value; undefined when a parameter is in it, or branches differ. */
  readonly authored: string | undefined;
  /** Whether the compiler marked the beginning of this value. */
  readonly isMarked: boolean;
  /** The tag's `rel` or `http-equiv`; `?` when it is unknown. */
  readonly kind: string;
  /** Whether the `content` of this tag has a parameter in it. */
  readonly hasContentValue: boolean;
  /** The state in CSS, inside a style element or attribute. */
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

/** Begins the name of an unknown attribute: branches differ. */
export const UNKNOWN = '?';

/** The text has more readings than are tracked: nothing is known of the rest. */
export const LOST: HtmlState = { ...HTML_START, at: 'lost' };

/** Whether the rest is read the same from both. Compares states outside of tags only: a tag has more to compare, and ends soon. */
export function isSameText(one: HtmlState, other: HtmlState): boolean {
  if ((one.at !== 'text' && one.at !== 'tagOpen') || other.at !== one.at || one.pending !== other.pending) return false;
  return isSameOpen(one.open, other.open) && JSON.stringify(one.css) === JSON.stringify(other.css);
}

/** The state after a tag, comment or declaration. */
export function fresh({ open, css }: HtmlState): HtmlState {
  return { ...HTML_START, open, css: inStyle({ open }) ? css : undefined };
}

/** Inside a style element of SVG, whose content is tokenized as ordinary text. */
export function inStyle({ open }: Pick<HtmlState, 'open'>): boolean {
  return open?.name === 'style';
}
