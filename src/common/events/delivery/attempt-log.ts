import type { EventOutcome } from './deliveries.queries.js';

/** Maximum number of listed attempts of an event: two series. */
export const MAX_ATTEMPTS_LISTED = 20;
/** Maximum length of an error in the log. */
const MAX_ERROR = 200;
/** Length of the log of earlier series that a redelivery retains. */
export const EARLIER_CHARACTERS = 3_000;

/** Attempt to deliver an event. */
export interface EventAttempt {
  at: Date;
  responseStatus: number | null;
  durationMs: number;
  error: string | null;
}

/** Line of the column `attemptLog`; null if the outcome alone describes the attempts. */
export interface AttemptLine {
  attemptLog: string | null;
}

/** Returns the line of an attempt. A success at once needs none, as most events have. */
export function attemptLine(outcome: EventOutcome): string | null {
  const { status, attempts, attemptedAt, responseStatus, durationMs, lastError } = outcome;
  if (status === 'DELIVERED' && attempts === 1) return null;
  const error = lastError === null ? null : lastError.slice(0, MAX_ERROR).toWellFormed();
  return `${JSON.stringify({ at: attemptedAt, responseStatus, durationMs, error })}\n`;
}

type LastAttempt = Pick<EventOutcome, 'responseStatus' | 'lastError'> & { attemptedAt: Date | null; durationMs: number | null };

/** Returns the newest attempts of an event, oldest first. The last one is in its row, and in the log unless it succeeded at once. */
export function attemptsOf(
  log: string | null,
  { attemptedAt, responseStatus, durationMs, lastError }: LastAttempt,
): EventAttempt[] {
  const logged = (log ?? '').split('\n').flatMap((line) => parsed(line) ?? []);
  const isLogged = attemptedAt === null || logged.at(-1)?.at.getTime() === attemptedAt.getTime();
  const last = isLogged ? [] : [{ at: attemptedAt, responseStatus, durationMs: durationMs ?? 0, error: lastError }];
  return [...logged, ...last].slice(-MAX_ATTEMPTS_LISTED);
}

/** Parses a line; undefined for one that was cut at its beginning. */
function parsed(line: string): EventAttempt | undefined {
  if (!line.startsWith('{"at"')) return undefined;
  const { at, ...attempt } = JSON.parse(line) as Omit<EventAttempt, 'at'> & { at: string };
  return { ...attempt, at: new Date(at) };
}
