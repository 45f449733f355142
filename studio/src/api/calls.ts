import { useSyncExternalStore } from 'react';
import type { ServiceName } from './scope';

/** A request of this page, to show it and to open it in the console. */
export interface Call {
  id: number;
  service: ServiceName;
  operation: string;
  query: string;
  variables: object;
  at: Date;
  ms: number;
  /** Response as received. */
  answer: unknown;
  requestId: string | undefined;
}

const KEPT = 30;

/** The latest requests of this tab, newest first. */
class Calls {
  private calls: readonly Call[] = [];
  private count = 0;
  private readonly listeners = new Set<() => void>();

  readonly read = (): readonly Call[] => this.calls;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  note(call: Omit<Call, 'id'>): void {
    this.calls = [{ ...call, id: this.count++ }, ...this.calls].slice(0, KEPT);
    for (const listener of this.listeners) listener();
  }

  clear(): void {
    this.calls = [];
    for (const listener of this.listeners) listener();
  }
}

export const calls = new Calls();
export const useCalls = (): readonly Call[] => useSyncExternalStore(calls.subscribe, calls.read);

/** Key under which a console reads a query, and removes it. */
const GIVEN = 'platform-services-query';

/**
 * Opens the console of a service in a new tab, with a query if given. A new tab starts with a copy of the opener's storage, so no URL
 * contains query or variables, which histories and proxies would store.
 */
export function openConsole(service: ServiceName, query?: string, variables: object = {}): void {
  const given = { query, variables: JSON.stringify(variables, undefined, 2) };
  if (query) sessionStorage.setItem(GIVEN, JSON.stringify(given));
  window.open(`/${service}/graphql`, '_blank');
  sessionStorage.removeItem(GIVEN);
}
