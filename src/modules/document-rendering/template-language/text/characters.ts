import { countGraphemes, graphemeSegments, splitGraphemes } from 'unicode-segmenter/grapheme';

// Counts characters as readers see them: a letter with accents, a flag or a family emoji is one. Uses a library, since Intl.Segmenter
// takes quadratic time: 208 s for 256 Ki characters on Node 20.

/** Lowest code point that can combine with the preceding one. Below it only CR LF forms one character. */
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

/** Returns the UTF-16 offset after a number of characters, or the text length if it has fewer. */
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

/** Returns a function that tests whether an offset is between two characters. Includes the middle of CR LF. */
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

/** Returns true if the code units around an offset certainly belong to different characters. */
function isApart(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return before < FIRST_JOINED && before !== CARRIAGE_RETURN && text.charCodeAt(at) < FIRST_JOINED;
}
