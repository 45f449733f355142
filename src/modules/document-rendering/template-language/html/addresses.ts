import { decodeHTMLAttribute } from 'entities';

/** An attribute as it will stand in the page, and the ranges of the values in it, in order. */
export interface Attribute {
  escaped: string;
  values: readonly (readonly [from: number, to: number])[];
}

/** Content of an attribute: one address or a list, and whether they are of pictures, which run no scripts. */
export interface AddressUse {
  isList: boolean;
  isImage: boolean;
}

/** A scheme as browsers find it: they skip spaces and control characters before it, and line breaks and tabs in it. */
const SCHEME = /^[\p{Cc} ]*([a-z](?:[\t\n\r]*[a-z0-9+.-])*)[\t\n\r]*:/iu;
const UNSEEN = /^[\p{Cc} ]+|[\t\n\r]+/gu;
const SAFE_SCHEME = /^(?:https?|mailto|tel|cid)$/i;
const NEVER = /^(?:javascript|vbscript|livescript|mocha)$/i;
const DATA = /^data:(?:(?:audio|font|image|video)\/[a-z0-9.+-]+|application\/pdf)[;,]/i;
const DATA_THAT_RUNS = /^data:image\/svg/i;

/** Whether no address in it can run a script, and every scheme is a known one or written by the author. */
export function isSafeAttribute({ escaped, values }: Attribute, use: AddressUse): boolean {
  const decoded = decodedParts(escaped, values);
  if (!decoded) return false;
  const { text, ranges } = decoded;
  const isAuthors = (from: number, to: number) => !ranges.some(([start, end]) => start < to && end > from && end > start);
  if (!use.isList) return isSafeAddress(text, use, (length) => isAuthors(0, length));
  return BETWEEN_SEPARATORS.every((parts) =>
    [...text.matchAll(parts)].every(({ 0: part, index }) => {
      // The media type of a data: address contains the separators.
      const address = /^[\p{Cc} ]*data:/iu.test(part) ? text.slice(index, index + MAX_MEDIA_TYPE) : part;
      return isSafeAddress(address, use, (length) => isAuthors(index, index + length));
    }),
  );
}

/** Spaces separate addresses in some lists and are part of one in others, which browsers read without its line breaks. */
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

/** Whether an author may put parameters after this scheme. */
function isAuthorsSchemeAllowed(scheme: string, address: string, isImage: boolean): boolean {
  if (NEVER.test(scheme)) return false;
  if (!/^data$/i.test(scheme)) return true;
  const seen = address.replace(UNSEEN, '');
  return DATA.test(seen) && (isImage || !DATA_THAT_RUNS.test(seen));
}

function mediaTypeEnd(address: string): number {
  return address.search(/[;,]/) + 1;
}

/** The scheme of the author's text, if no parameter may follow it. */
export function refusedSchemeIn(authored: string, isImage: boolean): string | undefined {
  const text = decodeHTMLAttribute(authored);
  const [, written] = SCHEME.exec(text) ?? [];
  const scheme = written?.replace(UNSEEN, '').toLowerCase();
  if (scheme === undefined || SAFE_SCHEME.test(scheme)) return undefined;
  if (isAuthorsSchemeAllowed(scheme, text, isImage)) return undefined;
  return scheme === 'data' ? 'data: of this type' : `${scheme}:`;
}

/** Decodes piece by piece, to know which text came from a value. Undefined when a value joined a character reference. */
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

/** Nothing, a scheme, or an incomplete host: the next value may still be any of these. */
const NO_PATH_YET = /^(?:(?:[a-z][a-z0-9+.-]*:)?\/\/[^/]*|https?:)?$/i;
const MAX_START = 2_000;

/** An address while it is written: the text so far decides what the next value may be. */
export class AddressProgress {
  private component: Component = 'start';
  private start = '';
  private hasAuthored = false;

  /** @param text with character references decoded */
  author(text: string): void {
    if (text !== '') this.hasAuthored = true;
    this.read(text);
  }

  /**
   * Prints a value as part of the address: after `?` or `#` it is one piece of data; in a path it cannot end the path;
   * before the author has written more than a host, it stays as it is.
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

/** Whether a value may begin an address. */
export function isSafeBeginning(text: string): boolean {
  return isSafeAddress(text, { isImage: true }, () => false);
}
