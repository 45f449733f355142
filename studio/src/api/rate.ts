import { useSyncExternalStore } from 'react';
import { asCaller } from './caller';

/** Rate limit of the key, according to the latest responses. */
class Rate {
  /** Number of requests since the page was opened. */
  requests = 0;
  /** Points spent since the first response, including those of applications with the same key. */
  points = 0;
  /** Points per minute; undefined without a limit. */
  limit: number | undefined;
  private left = 0;
  private endsAt = 0;
  private refusedUntil = 0;
  private readonly listeners = new Set<() => void>();

  /** Time in milliseconds until which the key has no points; 0 if it has some. */
  readonly readRefused = (): number => this.refusedUntil;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  note({ status, headers }: Response): void {
    const [limit] = numbersOf(headers.get('ratelimit-policy'));
    const [left, seconds] = numbersOf(headers.get('ratelimit'));
    if (limit === undefined || left === undefined || seconds === undefined) return;
    const isNewWindow = Date.now() >= this.endsAt;
    if (this.limit !== undefined) this.points += Math.max(0, (isNewWindow ? limit : this.left) - left);
    Object.assign(this, { limit, left });
    if (isNewWindow) this.endsAt = Date.now() + seconds * 1_000;
    if (status === 429) this.refuse(Date.now() + seconds * 1_000);
  }

  private refuse(until: number): void {
    if (this.refusedUntil === 0) setTimeout(() => this.become(0), until - Date.now());
    this.become(until);
  }

  private become(refusedUntil: number): void {
    this.refusedUntil = refusedUntil;
    for (const listener of this.listeners) listener();
  }
}

/** Parses the parameters of a header such as `"key";r=12;t=40`. */
const numbersOf = (header: string | null): number[] =>
  [...(header ?? '').matchAll(/;\w+=(\d+)/g)].map(([, digits]) => Number(digits));

export const rate = new Rate();
export const useRefusedUntil = (): number => useSyncExternalStore(rate.subscribe, rate.readRefused);

/** Sends a request, counts it, and reads the rate from its response. */
export async function countedFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  rate.requests += 1;
  const response = await fetch(input, asCaller(init));
  rate.note(response);
  return response;
}
