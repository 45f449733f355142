import { decodeHTMLAttribute } from 'entities';
import { AddressProgress, isSafeAttribute, isSafeBeginning } from './addresses.js';
import type { CssAddress } from './css-context.js';
import { cssAddress, cssText, cssTokens, type TokenPlace } from './css-values.js';
import { EncodedText, htmlOf, Markup, textOf } from './escaping.js';
import type { Run } from './expressions.js';
import type { AddressPlace, Place, StylePlace } from './places.js';
import type { SourcePosition } from './syntax.js';
import { noteWarning } from './warnings.js';

/** How a value becomes text. What replaces it or leaves it out says so with `noteWarning`. */
export type Print = (value: unknown, run: Run, position: SourcePosition) => string;

export function printAt(place: Exclude<Place, { refused: string }> | 'plain'): Print {
  if (place === 'plain') return textOf;
  if (place === 'escaped') return htmlOf;
  return 'css' in place ? printInStyle(place) : printInAddress(place);
}

/** What the value says; what filters made HTML of says it as HTML. */
function meaningOf(value: unknown): string {
  return value instanceof Markup ? decodeHTMLAttribute(value.html) : textOf(value);
}

/** The attribute is judged when it is written whole; what it was made of is told then. */
function printInAddress({ isList }: AddressPlace): Print {
  return (value, run, position) => {
    run.urlValues.set(position, run.path);
    const isEncoded = isList || value instanceof EncodedText;
    const html = htmlOf(isEncoded ? value : run.address.progress.value(meaningOf(value)));
    run.address.values.push([run.out.length, run.out.length + html.length]);
    return html;
  };
}

const UNSAFE_URL =
  'the address became "#": it must begin with http:, https:, mailto:, tel: or cid:, or have no scheme of its own';

/** What is written is the address, until `endAddress`. */
export function beginAddress(run: Run): void {
  run.before += run.out;
  run.out = '';
  run.urlValues.clear();
  run.address = { values: [], progress: new AddressProgress() };
}

/** An attribute is judged as a whole: two harmless parameters can be a script together. */
export function endAddress(use: AddressPlace): (run: Run) => void {
  return (run) => {
    const isSafe = isSafeAttribute({ escaped: run.out, values: run.address.values }, use);
    if (!isSafe) for (const [position, path] of run.urlValues) noteWarning(run, position, UNSAFE_URL, path);
    run.out = run.before + (isSafe ? run.out : '#');
    run.before = '';
  };
}

function printInStyle(place: StylePlace): Print {
  // In a style element of SVG an ampersand begins a character reference, in one of HTML it does not: neither gets one.
  const finish = place.isQuoted ? htmlOf : (css: string) => css.replaceAll('&', '\\26 ');
  if (place.css === 'text') return (value) => finish(cssText(meaningOf(value)));
  if (place.css === 'tokens') return printTokens(place, finish);
  return (value, run, position) => {
    const address = styleAddress(place.address, value);
    if (address === undefined) noteWarning(run, position, UNSAFE_URL);
    return finish(address ?? '#');
  };
}

const NOT_TOKENS =
  'left out: of CSS a value can be words, numbers, colours, texts in quotes and functions such as rgb(), calc() or linear-gradient()';

function printTokens(place: TokenPlace, finish: (css: string) => string): Print {
  return (value, run, position) => {
    const css = cssTokens(meaningOf(value), place);
    if (css === undefined) noteWarning(run, position, NOT_TOKENS);
    return finish(css ?? '');
  };
}

/** Nothing when it could lead to what is no address of a picture. */
function styleAddress({ authored, hasValue }: CssAddress, value: unknown): string | undefined {
  const text = meaningOf(value);
  const isBegun = hasValue || authored !== '';
  if (!isBegun) return isSafeBeginning(text) ? cssAddress(text) : undefined;
  if (!/[:/?#]/.test(authored ?? '') && /^[^/?#]*:/.test(text)) return undefined;
  const progress = new AddressProgress();
  progress.author(authored ?? '/');
  return cssAddress(value instanceof EncodedText ? text : progress.value(text));
}
