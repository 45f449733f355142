import type { EmailDomainRow } from './email-domain-row.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Check intervals by time since the change. After the last, only a caller triggers a check. */
const PAUSES = [
  { untilMs: HOUR_MS, everyMs: MINUTE_MS },
  { untilMs: DAY_MS, everyMs: 10 * MINUTE_MS },
  { untilMs: 7 * DAY_MS, everyMs: HOUR_MS },
  { untilMs: 30 * DAY_MS, everyMs: DAY_MS },
];
const VERIFIED_MS = DAY_MS;
const FAILING_MS = 6 * HOUR_MS;
/** Time of daily checks of a failed domain, from the loss of its records. */
const FAILED_MS = 30 * DAY_MS;

type Watched = Pick<EmailDomainRow, 'status' | 'createdAt' | 'failingSince' | 'nextSelector' | 'rotatedAt'>;

/** Returns the time of the next check: soon while records are awaited, then rarely; null if only a caller triggers one. */
export function nextCheckAt(row: Watched, now: Date): Date | null {
  const pauseMs = pauseOf(row, now);
  return pauseMs === undefined ? null : new Date(now.getTime() + pauseMs);
}

function pauseOf({ status, createdAt, failingSince, nextSelector, rotatedAt }: Watched, now: Date): number | undefined {
  if (status === 'PENDING') return awaitedMs(createdAt, now);
  if (status === 'FAILED') return now.getTime() - (failingSince ?? createdAt).getTime() < FAILED_MS ? DAY_MS : undefined;
  const usualMs = failingSince === null ? VERIFIED_MS : FAILING_MS;
  if (nextSelector === null || rotatedAt === null) return usualMs;
  return Math.min(usualMs, awaitedMs(rotatedAt, now) ?? usualMs);
}

function awaitedMs(since: Date, now: Date): number | undefined {
  const ageMs = now.getTime() - since.getTime();
  return PAUSES.find(({ untilMs }) => ageMs < untilMs)?.everyMs;
}
