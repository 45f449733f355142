/** A part of a mail, parsed strictly by RFC 5322, 2045 to 2047 and 2231. */
export interface MimePart {
  /** Unfolded headers by lower-case name; the first of each name. */
  headers: Map<string, string>;
  type: string;
  disposition: string;
  fileName: string | undefined;
  content: Buffer;
  parts: MimePart[];
}

const MAX_LINE = 998;
const ENCODED_WORD = /=\?([\w-]+)\?([QB])\?([!->@-~]*)\?=/gi;

/** @throws for a line that is too long, does not end with CRLF, or has non-ASCII characters */
export function readMail(raw: Buffer): MimePart {
  const text = raw.toString('latin1');
  for (const line of text.split('\r\n')) {
    if (line.length > MAX_LINE) throw new Error(`a line has ${line.length} octets: ${line.slice(0, 100)}`);
    if (!/^[\t -~]*$/.test(line)) throw new Error(`a line has what may not be in it: ${JSON.stringify(line.slice(0, 200))}`);
  }
  return readPart(text);
}

function readPart(text: string): MimePart {
  const end = text.startsWith('\r\n') ? 0 : text.indexOf('\r\n\r\n');
  if (end < 0) throw new Error('a part has no end of its headers');
  const headers = readHeaders(text.slice(0, end));
  const { value: type, parameters } = readParameters(headers.get('content-type') ?? 'text/plain');
  const disposition = readParameters(headers.get('content-disposition') ?? 'inline');
  const body = text.slice(text.startsWith('\r\n') ? 2 : end + 4);
  const isMultipart = type.startsWith('multipart/');
  return {
    headers,
    type,
    disposition: disposition.value,
    fileName: disposition.parameters.get('filename'),
    content: isMultipart ? Buffer.alloc(0) : decoded(body, headers.get('content-transfer-encoding') ?? '7bit'),
    parts: isMultipart ? splitAt(body, parameters.get('boundary')!).map(readPart) : [],
  };
}

function readHeaders(text: string): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of text.replaceAll(/\r\n(?=[ \t])/g, '').split('\r\n')) {
    const [, name, value] = /^([!-9;-~]+):[ \t]*(.*)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`a header is none: ${line.slice(0, 100)}`);
    if (!headers.has(name.toLowerCase())) headers.set(name.toLowerCase(), value!);
  }
  return headers;
}

function splitAt(body: string, boundary: string): string[] {
  const [inner, after] = `\r\n${body}`.split(`\r\n--${boundary}--`);
  if (after === undefined) throw new Error('a multipart has no end');
  return inner!.split(`\r\n--${boundary}\r\n`).slice(1);
}

function decoded(body: string, encoding: string): Buffer {
  if (encoding === 'base64') {
    const text = body.replaceAll('\r\n', '');
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw new Error('base64 has other characters');
    return Buffer.from(text, 'base64');
  }
  if (encoding === 'quoted-printable') return Buffer.from(fromQ(body.replaceAll('=\r\n', '')), 'latin1');
  if (encoding !== '7bit') throw new Error(`an encoding that mails of ours do not have: ${encoding}`);
  return Buffer.from(body, 'latin1');
}

const fromQ = (text: string) => text.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));

/** Decodes encoded words and drops the blanks between them; other text stays. */
export function withWordsDecoded(value: string): string {
  return value
    .replaceAll(/(\?=)[ \t]+(?==\?)/g, '$1')
    .replaceAll(/(?:=\?[\w-]+\?[QB]\?[!->@-~]*\?=)+/gi, (words) =>
      Buffer.concat([...words.matchAll(ENCODED_WORD)].map(([, , kind, text]) => fromWord(kind!, text!))).toString('utf8'),
    );
}

function fromWord(kind: string, text: string): Buffer {
  return kind.toUpperCase() === 'B' ? Buffer.from(text, 'base64') : Buffer.from(fromQ(text.replaceAll('_', ' ')), 'latin1');
}

/** Decodes parameters with continuations and percent signs. Encoded words in them stay. */
function readParameters(header: string): { value: string; parameters: Map<string, string> } {
  const value = /^[^;\s]*/.exec(header)![0].toLowerCase();
  const sections = new Map<string, string[]>();
  for (const [, name, index, star, quoted, token] of header.matchAll(
    /;\s*([^\s=*;]+)(?:\*(\d+))?(\*)?=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g,
  )) {
    const text = quoted === undefined ? token! : quoted.replaceAll(/\\(.)/g, '$1');
    const list = sections.get(name!.toLowerCase()) ?? [];
    list[Number(index ?? 0)] = star
      ? decodeURIComponent(index === undefined || index === '0' ? text.replace(/^utf-8''/i, '') : text)
      : text;
    sections.set(name!.toLowerCase(), list);
  }
  return { value, parameters: new Map([...sections].map(([name, list]) => [name, list.join('')])) };
}
