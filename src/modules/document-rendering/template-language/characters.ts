import { countGraphemes, graphemeSegments, splitGraphemes } from 'unicode-segmenter/grapheme';

// Characters as readers see them: a letter with its accents, a flag, a family of emoji is one. By a library, because
// Intl.Segmenter takes time that grows with the square of the text.

/** From here on characters can be joined to the one before. A carriage return and a line feed are one, too. */
const FIRST_JOINED = 0x300;
const CARRIAGE_RETURN = 0x0d;
const JOINED = /\r|[^\0-\u02ff]/;

export function characterCount(text: string): number {
  return JOINED.test(text) ? countGraphemes(text) : text.length;
}

export function firstCharacter(text: string): string | undefined {
  if (text.length < 2 || isApart(text, 1)) return text === '' ? undefined : text[0];
  return splitGraphemes(text).next().value as string;
}

export function lastCharacter(text: string): string | undefined {
  if (text.length < 2 || isApart(text, text.length - 1)) return text.at(-1);
  let last = '';
  for (const { segment } of graphemeSegments(text)) last = segment;
  return last;
}

export function characterAt(text: string, index: number): string | undefined {
  return firstCharacter(text.slice(offsetOf(text, index)));
}

/** Where the character begins that has so many before it, in UTF-16 units; the length of the text when it has no more. */
export function offsetOf(text: string, characters: number): number {
  if (characters >= text.length) return text.length;
  if (!JOINED.test(text.slice(0, characters + 1))) return characters;
  let left = characters;
  for (const { index } of graphemeSegments(text)) {
    if (left === 0) return index;
    left -= 1;
  }
  return text.length;
}

/** Tells of an offset whether a character ends there and another begins; inside of a line break of two, too. */
export function boundariesOf(text: string): (at: number) => boolean {
  if (!JOINED.test(text)) return () => true;
  const isBoundary = new Uint8Array(text.length + 1);
  for (const { index, segment } of graphemeSegments(text)) {
    isBoundary[index] = 1;
    if (segment === '\r\n') isBoundary[index + 1] = 1;
  }
  isBoundary[text.length] = 1;
  return (at) => isBoundary[at] === 1;
}

/** Whether the two beside an offset are surely not one character. */
function isApart(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return before < FIRST_JOINED && before !== CARRIAGE_RETURN && text.charCodeAt(at) < FIRST_JOINED;
}
