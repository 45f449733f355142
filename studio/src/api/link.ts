import { useSyncExternalStore } from 'react';
import type { QueryClient } from '@tanstack/react-query';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
const TIMEOUT_MS = 5_000;

/** Whether the server can be reached. Once lost, it is polled until it responds; then all data is read again. */
class Link {
  private lost = false;
  private readonly listeners = new Set<() => void>();
  private queries?: QueryClient;

  use(queries: QueryClient): void {
    this.queries = queries;
  }

  readonly isLost = (): boolean => this.lost;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Records that a request found no server. */
  lose(): void {
    if (this.lost) return;
    this.become(true);
    void this.look();
  }

  /** Resolves once the server can be reached. */
  found(): Promise<void> {
    if (!this.lost) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = this.subscribe(() => {
        stop();
        resolve();
      });
    });
  }

  private async look(): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      if (document.hidden) await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }));
      const isThere = await fetch('/health/live', { signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (!isThere) continue;
      this.become(false);
      await this.queries?.invalidateQueries();
      return;
    }
  }

  private become(lost: boolean): void {
    this.lost = lost;
    for (const listener of this.listeners) listener();
  }
}

export const link = new Link();
export const useIsLost = (): boolean => useSyncExternalStore(link.subscribe, link.isLost);
