import { type HtmlState, isSameText, LOST } from './html-state.js';
import { STEPS } from './html-tokenizer.js';

export const MAX_READINGS = 16;

interface Reading {
  now: HtmlState;
  at: number;
}

/**
 * Tokenizes the text from `state` on and returns the state of each reading. Calls `passing` with each state it leaves and
 * with the offset. Always advances the reading that is furthest behind, so that equal readings meet and merge.
 */
export function advanceReading(state: HtmlState, added: string, passing: (left: HtmlState, at: number) => void): HtmlState[] {
  const text = state.pending + added;
  const readings: Reading[] = [{ now: { ...state, pending: '' }, at: 0 }];
  for (;;) {
    const behind = readings.reduce((one, other) => (other.at < one.at ? other : one));
    if (behind.at >= text.length) return readings.map(({ now }) => now);
    const [then, at] = STEPS[behind.now.at](behind.now, text, behind.at);
    const [first, ...others] = Array.isArray(then) ? then : [then];
    if (first!.at !== behind.now.at) passing(behind.now, at - state.pending.length);
    if (readings.length > 1 && isMet(readings, behind, first!, at)) readings.splice(readings.indexOf(behind), 1);
    else Object.assign(behind, { now: first, at });
    for (const other of others) readings.push({ now: other, at });
    if (readings.length > MAX_READINGS) return [LOST];
  }
}

function isMet(readings: Reading[], self: Reading, now: HtmlState, at: number): boolean {
  return readings.some((other) => other !== self && other.at === at && isSameText(other.now, now));
}
