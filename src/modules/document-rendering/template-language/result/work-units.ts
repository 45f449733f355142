import { Markup } from '../text/escaping.js';

/** Thrown by a rendering that takes more units of work than it was given. */
export class TooMuchWork extends Error {}

/** The units of work that a rendering may still use. One unit is a step of at most about 30 ns, such as escaping a character. */
export class WorkUnits {
  constructor(private left: number) {}

  /** Takes units for a step. @throws TooMuchWork if fewer are left */
  take(units: number): void {
    this.left -= units;
    if (this.left < 0) throw new TooMuchWork();
  }
}

/** An upper bound of the text length of a number, boolean or null. */
const MAX_PRIMITIVE = 32;
/** Larger values are not measured further, since they exceed the work that the server's own process may do. */
const LARGE = 256 * 1024;

/** Returns an upper bound of the length of any text that can be made of a value, in UTF-16 units. */
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
