import { decodeHTMLAttribute } from 'entities';

/** An attribute as it will be in the page, and the ranges of the values in it, in order. */
export interface Attribute {
  escaped: string;
  values: readonly (readonly [from: number, to: number])[];
}

/** The content of an attribute: one address or a list, and whether the addresses are those of pictures, which run no scripts. */
export interface AddressUse {
  isList: boolean;
  isImage: boolean;
}

/** Matches a scheme as browsers do: they ignore spaces and control characters before it, and line breaks and tabs in it. */
const SCHEME = /^[\p{Cc} ]*([a-z](?:[\t\n\r]*[a-z0-9+.-])*)[\t\n\r]*:/iu;
const UNSEEN = /^[\p{Cc} ]+|[\t\n\r]+/gu;
const SAFE_SCHEME = /^(?:https?|mailto|tel|cid)$/i;
const NEVER = /^(?:javascript|vbscript|livescript|mocha)$/i;
const DATA = /^data:(?:(?:audio|font|image|video)\/[a-z0-9.+-]+|application\/pdf)[;,]/i;
const DATA_THAT_RUNS = /^data:image\/svg/i;

/** Whether no address in the attribute can run a script, and every scheme is known to be safe or was written by the author. */
export function isSafeAttribute({ escaped, values }: Attribute, use: AddressUse): boolean {
  const decoded = decodedParts(escaped, values);
  if (!decoded) return false;
  const { text, ranges } = decoded;
  const isAuthors = (from: number, to: number) => !ranges.some(([start, end]) => start < to && end > from && end > start);
  if (!use.isList) return isSafeAddress(text, use, (length) => isAuthors(0, length));
  return BETWEEN_SEPARATORS.every((parts) =>
    [...text.matchAll(parts)].every(({ 0: part, index }) => {
      // For a data: address, the text after the separators is included, since its media type contains separators.
      const address = /^[\p{Cc} ]*data:/iu.test(part) ? text.slice(index, index + MAX_MEDIA_TYPE) : part;
      return isSafeAddress(address, use, (length) => isAuthors(index, index + length));
    }),
  );
}

/**
 * The text between separators, with and without spaces as separators: in some lists spaces separate addresses, in others browsers
 * read them as part of an address, without its line breaks.
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

/** Whether parameters may follow this scheme, which the author wrote. */
function isAuthorsSchemeAllowed(scheme: string, address: string, isImage: boolean): boolean {
  if (NEVER.test(scheme)) return false;
  if (!/^data$/i.test(scheme)) return true;
  const seen = address.replace(UNSEEN, '');
  return DATA.test(seen) && (isImage || !DATA_THAT_RUNS.test(seen));
}

function mediaTypeEnd(address: string): number {
  return address.search(/[;,]/) + 1;
}

/** Returns the scheme of the author's text if no parameter may follow it. */
export function refusedSchemeIn(authored: string, isImage: boolean): string | undefined {
  const text = decodeHTMLAttribute(authored);
  const [, written] = SCHEME.exec(text) ?? [];
  const scheme = written?.replace(UNSEEN, '').toLowerCase();
  if (scheme === undefined || SAFE_SCHEME.test(scheme)) return undefined;
  if (isAuthorsSchemeAllowed(scheme, text, isImage)) return undefined;
  return scheme === 'data' ? 'data: of this type' : `${scheme}:`;
}

/**
 * Decodes an attribute piece by piece, to find which decoded text came from a value. Returns undefined if a value and the text
 * beside it form a character reference together.
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

/** Matches an empty text, a scheme, or an incomplete host, which the next value may continue. */
const NO_PATH_YET = /^(?:(?:[a-z][a-z0-9+.-]*:)?\/\/[^/]*|https?:)?$/i;
const MAX_START = 2_000;

/** An address that is being written. The text so far decides how the next value is printed. */
export class AddressProgress {
  private component: Component = 'start';
  private start = '';
  private hasAuthored = false;

  /** Adds text of the author. @param text with character references decoded */
  author(text: string): void {
    if (text !== '') this.hasAuthored = true;
    this.read(text);
  }

  /**
   * Prints a value as part of the address. After `?` or `#`, the value is encoded as data. In a path, it cannot end the path. If
   * the author has written no more than a host before, it is not changed.
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

/** Whether an address may begin with the value. */
export function isSafeBeginning(text: string): boolean {
  return isSafeAddress(text, { isImage: true }, () => false);
}
