import { countGraphemes, graphemeSegments, splitGraphemes } from 'unicode-segmenter/grapheme';

// Characters as readers see them: a letter with its accents, a flag or a family of emoji counts as one. Uses a library,
// because the time of Intl.Segmenter grows with the square of the text: 208 s for 256 Ki characters on Node 20.

/**
 * The first code point that can be combined with the one before it. Lower code points are characters by themselves, except that a
 * carriage return and a line feed are one character.
 */
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

/** Returns the offset in UTF-16 units after a number of characters, or the length of the text if it has fewer. */
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

/** Returns a function that tells whether an offset is between two characters. The middle of CR LF counts as such an offset. */
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

/** Whether the code units before and after an offset certainly belong to different characters. */
function isApart(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return before < FIRST_JOINED && before !== CARRIAGE_RETURN && text.charCodeAt(at) < FIRST_JOINED;
}
