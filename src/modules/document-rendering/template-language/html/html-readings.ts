import { type HtmlState, isSameText, LOST } from './html-state.js';
import { STEPS } from './html-tokenizer.js';

export const MAX_READINGS = 16;

interface Reading {
  now: HtmlState;
  /** Text to tokenize: the pending text of the previous state, then the added text. */
  readonly text: string;
  /** Offset in the added text; negative within the pending text. */
  at: number;
}

/**
 * Tokenizes the text from each state, and returns one state per interpretation. Calls `passing` with each state left, and the offset.
 * Advances the interpretation furthest behind, so that equal ones merge. A conditional comment, for example, is read as markup and as
 * a comment, until its `<![endif]-->`.
 */
export function advanceReadings(
  states: readonly HtmlState[],
  added: string,
  passing: (left: HtmlState, at: number) => void,
): HtmlState[] {
  const readings: Reading[] = states.map((state) => {
    const { pending } = state;
    return { now: { ...state, pending: '' }, text: pending + added, at: -pending.length };
  });
  for (;;) {
    const behind = readings.reduce((one, other) => (other.at < one.at ? other : one));
    if (behind.at >= added.length) return readings.map(({ now }) => now);
    const { text } = behind;
    const skipped = text.length - added.length;
    const [then, end] = STEPS[behind.now.at](behind.now, text, behind.at + skipped);
    const [at, [first, ...others]] = [end - skipped, Array.isArray(then) ? then : [then]];
    if (first!.at !== behind.now.at) passing(behind.now, at);
    if (readings.length > 1 && isMerged(readings, behind, first!, at)) readings.splice(readings.indexOf(behind), 1);
    else Object.assign(behind, { now: first, at });
    for (const other of others) readings.push({ now: other, text, at });
    if (readings.length > MAX_READINGS) return [LOST];
  }
}

function isMerged(readings: Reading[], self: Reading, now: HtmlState, at: number): boolean {
  return readings.some((other) => other !== self && other.at === at && isSameText(other.now, now));
}
