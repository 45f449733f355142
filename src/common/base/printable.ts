/** Control characters except tab, bidirectional marks, line separators and lone surrogates. */
const UNPRINTABLE = /(?!\t)[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu;

/** Escapes text for a terminal: in one line, with unprintable characters as \uXXXX. */
export const printable = (text: string): string => text.replaceAll(UNPRINTABLE, escaped);

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Joins columns by tabs. Escapes tabs within a column. */
export const columns = (...values: (string | number)[]): string =>
  values.map((value) => printable(String(value)).replaceAll('\t', escaped)).join('\t');

/** Writes one line. All output of commands passes through here. */
export function print(line: string, stream: NodeJS.WritableStream = process.stdout): void {
  stream.write(`${printable(line)}\n`);
}

/** Writes one line to standard error. */
export const say = (line: string): void => print(line, process.stderr);
