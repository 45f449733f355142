import { Markup } from '../text/escaping.js';

/** Thrown by a rendering that is more work than it may be. */
export class TooMuchWork extends Error {}

/** The work that one rendering may still do. A unit takes at most some 30 ns, such as escaping a character. */
export class Work {
  constructor(private left: number) {}

  /** @throws TooMuchWork */
  take(units: number): void {
    this.left -= units;
    if (this.left < 0) throw new TooMuchWork();
  }
}

/** The size of a value that is not a text, a list or an object, written out. */
const MAX_PRIMITIVE = 32;
/** Larger values are measured no further: they are more work than the server does by itself. */
const LARGE = 256 * 1024;

/** An upper bound of the length of any text that can be made of a value, in UTF-16 units. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof Markup) return value.html.length;
  if (value === null || typeof value !== 'object') return MAX_PRIMITIVE;
  const left: unknown[] = [value];
  let size = 0;
  while (left.length > 0 && size <= LARGE) {
    const next = left.pop();
    if (typeof next === 'string') size += next.length;
    else if (next === null || typeof next !== 'object') size += MAX_PRIMITIVE;
    else for (const inner of Object.values(next)) left.push(inner);
    size += 1;
  }
  return size;
}
