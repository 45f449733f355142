import type { TestingApi } from './testing-api.js';

/** Milliseconds, or a number with a unit: `90s`, `15m`, `36h`, `7d`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Clock of an exclusive server. */
export interface Clock {
  /** Advances the clock, and returns once all work that became due has started: expiry, retries, deletions. */
  advance(by: Duration): Promise<Date>;
  /** Returns the time of the server. */
  now(): Promise<Date>;
}

export function clockOf(api: TestingApi): Clock {
  const read = ({ now }: { now: string }): Date => new Date(now);
  return {
    advance: async (by) => read(await api.post('clock', { advanceMs: msOf(by) })),
    now: async () => read(await api.get('clock')),
  };
}

function msOf(duration: Duration): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(String(duration)) ?? [];
  const ms = typeof duration === 'number' ? duration : Number(amount) * UNITS_MS[unit as keyof typeof UNITS_MS];
  if (Number.isFinite(ms) && ms >= 0) return Math.round(ms);
  throw new TypeError(
    `${JSON.stringify(duration)} is no duration: give milliseconds, or a text such as "90s", "15m", "36h" or "7d"`,
  );
}
