import { ConnectionError, PlatformError, RateLimitedError, ServiceUnavailableError, TimedOutError } from './errors.js';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 20_000;
/** Maximum wait before a retry. If the server requests more, its error is thrown. */
const LONGEST_WAIT_MS = 90_000;

/** Randomizes half of the pause, so that clients that failed together do not retry together. */
export function pauseMs(failures: number, longestMs = LONGEST_PAUSE_MS): number {
  const whole = Math.min(longestMs, FIRST_PAUSE_MS * 2 ** Math.min(failures, 20));
  return whole / 2 + (Math.random() * whole) / 2;
}

/** Resolves after a delay. @throws the reason of the signal as soon as it aborts */
function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const end = () => reject((clearTimeout(timer), signal!.reason));
    const timer = setTimeout(() => (signal?.removeEventListener('abort', end), resolve()), ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** Resolves like the promise. @throws the reason of the signal as soon as it aborts */
export async function untilAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise;
  let end: () => void;
  const aborted = new Promise<never>((_, reject) => {
    end = () => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', end));
}

/** Returns whether the same request may succeed later. */
export function isPassing(error: unknown): error is PlatformError {
  if (error instanceof RateLimitedError) return error.retryAfterMs !== undefined;
  return (
    error instanceof ServiceUnavailableError ||
    error instanceof ConnectionError ||
    error instanceof TimedOutError ||
    (error instanceof PlatformError && error.status === 408)
  );
}

interface RetryOptions {
  /** Number of retries. */
  retries: number;
  signal?: AbortSignal | undefined;
  /** Decides about each failure; by default whether it is temporary. */
  mayRepeat?: (error: unknown, attempt: number) => boolean;
}

/** Retries until success, pausing longer after each failure and at least as long as the server asks. @throws the last failure */
export async function retrying<T>(
  attempt: (number: number) => Promise<T>,
  { retries, signal, mayRepeat = isPassing }: RetryOptions,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      signal?.throwIfAborted();
      return await attempt(failures);
    } catch (error) {
      const askedMs = error instanceof PlatformError ? (error.retryAfterMs ?? 0) : 0;
      if (signal?.aborted || failures >= retries || askedMs > LONGEST_WAIT_MS || !mayRepeat(error, failures)) throw error;
      await sleep(Math.max(pauseMs(failures), askedMs), signal);
    }
  }
}
