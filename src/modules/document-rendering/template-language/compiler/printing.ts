import { decodeHTMLAttribute } from 'entities';
import { AddressProgress, isSafeAttribute, isSafeBeginning } from '../html/addresses.js';
import type { CssAddress } from '../html/css-context.js';
import { cssAddress, cssText, cssTokens, type TokenPlace } from '../html/css-values.js';
import { EncodedText, htmlOf, Markup, textOf } from '../text/escaping.js';
import type { Run } from './run.js';
import type { AddressPlace, Place, StylePlace } from '../html/places.js';
import type { SourcePosition } from '../result/rendering.js';
import { noteWarning } from '../result/warnings.js';
import { sizeOf } from '../result/work-units.js';

/** Converts a value to text. Adds a warning if it replaces or omits the value. */
type Print = (value: unknown, run: Run, position: SourcePosition) => string;

/** Printer for values in one context, with its units of work. */
export interface Printer {
  print: Print;
  units: (value: unknown, run: Run) => number;
}

export function printAt(place: Exclude<Place, { refused: string }> | 'plain'): Printer {
  if (place === 'plain') return { print: textOf, units: sizeOf };
  if (place === 'escaped') return { print: htmlOf, units: sizeOf };
  if ('css' in place) return { print: printInStyle(place), units: (value) => UNITS_IN_STYLE * sizeOf(value) };
  return { print: printInAddress(place), units: unitsInAddress };
}

/** Units of work per character in CSS and URLs, where each value is scanned several times. */
const UNITS_IN_STYLE = 32;
const UNITS_IN_ADDRESS = 8;
const UNITS_OF_VALUE = 64;

/**
 * Returns the work for a value in a URL attribute. URLs in a list are compared with all earlier values, so the work grows with their
 * number.
 */
function unitsInAddress(value: unknown, { address }: Run): number {
  return UNITS_IN_ADDRESS * sizeOf(value) + UNITS_OF_VALUE * (1 + address.values.length);
}

/** Returns the text of a value. Decodes character references if a filter returned HTML. */
function meaningOf(value: unknown): string {
  return value instanceof Markup ? decodeHTMLAttribute(value.html) : textOf(value);
}

/** Collects the values of a URL attribute. `endAddress` checks them once the attribute is complete. */
function printInAddress({ isList }: AddressPlace): Print {
  return (value, run, position) => {
    run.urlValues.set(position, run.path);
    const isEncoded = isList || value instanceof EncodedText;
    const html = htmlOf(isEncoded ? value : run.address.progress.value(meaningOf(value)));
    run.address.values.push([run.out.length, run.out.length + html.length]);
    return html;
  };
}

const UNSAFE_URL = 'the URL was replaced by "#": it must begin with http:, https:, mailto:, tel: or cid:, or have no scheme';

/** Starts a URL attribute. Until `endAddress`, `out` holds only the URL. */
export function beginAddress(run: Run): void {
  run.before += run.out;
  run.out = '';
  run.urlValues.clear();
  run.address = { values: [], progress: new AddressProgress() };
}

/** Checks the whole attribute, since two harmless parameters can form a script together. */
export function endAddress(use: AddressPlace): (run: Run) => void {
  return (run) => {
    const isSafe = isSafeAttribute({ escaped: run.out, values: run.address.values }, use);
    if (!isSafe) for (const [position, path] of run.urlValues) noteWarning(run, position, UNSAFE_URL, path);
    run.out = run.before + (isSafe ? run.out : '#');
    run.before = '';
  };
}

function printInStyle(place: StylePlace): Print {
  // Escaped as CSS, since an ampersand begins a character reference in SVG style elements but not in HTML ones.
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
  'omitted: a CSS value can contain words, numbers, colours, quoted texts and functions such as rgb(), calc() or linear-gradient()';

function printTokens(place: TokenPlace, finish: (css: string) => string): Print {
  return (value, run, position) => {
    const css = cssTokens(meaningOf(value), place);
    if (css === undefined) noteWarning(run, position, NOT_TOKENS);
    return finish(css ?? '');
  };
}

/** Returns the URL for CSS; undefined unless it can only be that of an image. */
function styleAddress({ authored, hasValue }: CssAddress, value: unknown): string | undefined {
  const text = meaningOf(value);
  const isBegun = hasValue || authored !== '';
  if (!isBegun) return isSafeBeginning(text) ? cssAddress(text) : undefined;
  if (!/[:/?#]/.test(authored ?? '') && /^[^/?#]*:/.test(text)) return undefined;
  const progress = new AddressProgress();
  progress.author(authored ?? '/');
  return cssAddress(value instanceof EncodedText ? text : progress.value(text));
}
