import { decodeHTMLAttribute } from 'entities';

/** Attribute in the output, with the ranges of its parameter values in order. */
export interface Attribute {
  escaped: string;
  values: readonly (readonly [from: number, to: number])[];
}

/** Kind of URL attribute: a single URL or a list, and whether the URLs are images, which run no scripts. */
export interface AddressUse {
  isList: boolean;
  isImage: boolean;
}

/** URL scheme as browsers parse it: ignoring spaces and control characters before it, and line breaks and tabs inside. */
const SCHEME = /^[\p{Cc} ]*([a-z](?:[\t\n\r]*[a-z0-9+.-])*)[\t\n\r]*:/iu;
const UNSEEN = /^[\p{Cc} ]+|[\t\n\r]+/gu;
const SAFE_SCHEME = /^(?:https?|mailto|tel|cid)$/i;
const NEVER = /^(?:javascript|vbscript|livescript|mocha)$/i;
const DATA = /^data:(?:(?:audio|font|image|video)\/[a-z0-9.+-]+|application\/pdf)[;,]/i;
const DATA_THAT_RUNS = /^data:image\/svg/i;

/** Returns true if no URL in the attribute can run a script, and each scheme is safe or from the template. */
export function isSafeAttribute({ escaped, values }: Attribute, use: AddressUse): boolean {
  const decoded = decodedParts(escaped, values);
  if (!decoded) return false;
  const { text, ranges } = decoded;
  const isAuthors = (from: number, to: number) => !ranges.some(([start, end]) => start < to && end > from && end > start);
  if (!use.isList) return isSafeAddress(text, use, (length) => isAuthors(0, length));
  return BETWEEN_SEPARATORS.every((parts) =>
    [...text.matchAll(parts)].every(({ 0: part, index }) => {
      // Extends a data: URL beyond separators, since its media type contains some.
      const address = /^[\p{Cc} ]*data:/iu.test(part) ? text.slice(index, index + MAX_MEDIA_TYPE) : part;
      return isSafeAddress(address, use, (length) => isAuthors(index, index + length));
    }),
  );
}

/**
 * URL candidates in a list, with and without spaces as separators. In some lists spaces separate URLs; in others browsers read them
 * as part of a URL.
 */
const BETWEEN_SEPARATORS = [/[^\s,;=]+/g, /[^,;=]+/g];
const MAX_MEDIA_TYPE = 200;

function isSafeAddress(
  address: string,
  { isImage }: Pick<AddressUse, 'isImage'>,
  isAuthors: (length: number) => boolean,
): boolean {
  const found = SCHEME.exec(address);
  if (!found) return true;
  const scheme = found[1]!.replace(UNSEEN, '');
  if (SAFE_SCHEME.test(scheme)) return true;
  if (!isAuthors(found[0].length)) return false;
  return isAuthorsSchemeAllowed(scheme, address, isImage) && (!/^data$/i.test(scheme) || isAuthors(mediaTypeEnd(address)));
}

/** Returns true if parameters may follow this scheme of the template. */
function isAuthorsSchemeAllowed(scheme: string, address: string, isImage: boolean): boolean {
  if (NEVER.test(scheme)) return false;
  if (!/^data$/i.test(scheme)) return true;
  const seen = address.replace(UNSEEN, '');
  return DATA.test(seen) && (isImage || !DATA_THAT_RUNS.test(seen));
}

function mediaTypeEnd(address: string): number {
  return address.search(/[;,]/) + 1;
}

/** Returns the scheme of the template text if no parameter may follow it. */
export function refusedSchemeIn(authored: string, isImage: boolean): string | undefined {
  const text = decodeHTMLAttribute(authored);
  const [, written] = SCHEME.exec(text) ?? [];
  const scheme = written?.replace(UNSEEN, '').toLowerCase();
  if (scheme === undefined || SAFE_SCHEME.test(scheme)) return undefined;
  if (isAuthorsSchemeAllowed(scheme, text, isImage)) return undefined;
  return scheme === 'data' ? 'data: of this type' : `${scheme}:`;
}

/**
 * Decodes an attribute piecewise, to track which text came from a value. Returns undefined if a value and adjacent text together form
 * a character reference.
 */
function decodedParts(escaped: string, values: Attribute['values']): { text: string; ranges: [number, number][] } | undefined {
  let text = '';
  let at = 0;
  const ranges: [number, number][] = [];
  for (const [from, to] of values) {
    text += decodeHTMLAttribute(escaped.slice(at, from));
    const start = text.length;
    text += decodeHTMLAttribute(escaped.slice(from, to));
    ranges.push([start, text.length]);
    at = to;
  }
  text += decodeHTMLAttribute(escaped.slice(at));
  return text === decodeHTMLAttribute(escaped) ? { text, ranges } : undefined;
}

type Component = 'start' | 'path' | 'query';

/** Empty text, a scheme, or an incomplete host, which the next value may continue. */
const NO_PATH_YET = /^(?:(?:[a-z][a-z0-9+.-]*:)?\/\/[^/]*|https?:)?$/i;
const MAX_START = 2_000;

/** URL being written. The text so far decides how the next value is printed. */
export class AddressProgress {
  private component: Component = 'start';
  private start = '';
  private hasAuthored = false;

  /** Adds text of the template. @param text with character references decoded */
  author(text: string): void {
    if (text !== '') this.hasAuthored = true;
    this.read(text);
  }

  /**
   * Encodes a value for its position in the URL: as data after `?` or `#`, as part of a segment in a path. Leaves it unchanged if
   * the template wrote no more than a host before it.
   */
  value(text: string): string {
    const component = this.hasAuthored ? this.component : 'start';
    if (component === 'query') return encodeURIComponent(text.toWellFormed());
    if (component === 'path') return text.replace(/[?#\\]/g, encodeURIComponent);
    this.read(text);
    return text;
  }

  private read(text: string): void {
    if (/[?#]/.test(text)) this.component = 'query';
    if (this.component !== 'start') return;
    this.start += text;
    if (this.start.length > MAX_START || !NO_PATH_YET.test(this.start)) this.component = 'path';
  }
}

/** Returns true if a URL may begin with the value. */
export function isSafeBeginning(text: string): boolean {
  return isSafeAddress(text, { isImage: true }, () => false);
}
