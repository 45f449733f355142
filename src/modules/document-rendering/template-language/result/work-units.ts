import { Markup } from '../text/escaping.js';

/** Error of a rendering that exceeds its units of work. */
export class TooMuchWork extends Error {}

/** Remaining units of work. One unit is a step of at most about 30 ns, such as escaping a character. */
export class WorkUnits {
  constructor(private left: number) {}

  /** Subtracts units before a step. @throws TooMuchWork if fewer are left */
  take(units: number): void {
    this.left -= units;
    if (this.left < 0) throw new TooMuchWork();
  }
}

/** Maximum text length of a number, boolean or null. */
const MAX_PRIMITIVE = 32;
/** Size beyond which values are not measured, since they exceed the work limit of the server process. */
const LARGE = 256 * 1024;

/** Returns an upper bound of a value's text length, in UTF-16 units. */
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
