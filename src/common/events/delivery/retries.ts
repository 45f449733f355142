import { backOffMs } from '../../jobs/back-off.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Pauses after failed attempts, as recommended by Standard Webhooks. */
const PAUSES_MS = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS)];
/** Maximum fraction added to a pause, so that events that failed together are not retried together. */
const SPREAD = 0.1;
/** Maximum Retry-After that is respected. */
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;
/** Number of failures in a row after which events of a webhook are sent one by one. */
export const FAILURES_TO_PAUSE = 10;
const BACK_OFF = { first: 5 * SECOND_MS, longest: MINUTE_MS };

/** Returns the pause after the nth attempt, or undefined after the last one. */
export function pauseAfter(attempts: number, random = Math.random()): number | undefined {
  const pause = PAUSES_MS[attempts - 1];
  return pause === undefined ? undefined : Math.round(pause * (1 + SPREAD * random));
}

/** Returns the pause of a webhook after this many failures in a row: 5 s, 10 s, 20 s, 40 s, then 1 min. */
export const pauseOfWebhook = (failures: number): number => backOffMs(failures - FAILURES_TO_PAUSE, BACK_OFF);

/** Parses Retry-After, in seconds or as a date (RFC 9110). Returns milliseconds from now, or 0 without the header. */
export function retryAfterMs(header: string | string[] | undefined, now = Date.now()): number {
  const text = String(header ?? '');
  const waitMs = /^\d+$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now;
  return Number.isNaN(waitMs) ? 0 : Math.min(Math.max(0, waitMs), MAX_RETRY_AFTER_MS);
}
