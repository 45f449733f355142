import type { TestingApi } from './testing-api.js';

/** Dependency: the mail server, the store for content, or the bus to recipients connected elsewhere. */
export type Part = 'mail' | 'store' | 'bus';

/** Faults of an exclusive server. */
export interface Faults {
  /** Simulates an outage: services that need the dependency fail or wait, as in production. */
  break(part: Part): Promise<void>;
  /** Ends the outage. Failed mails are sent at their next attempt: advance the clock. */
  fix(part: Part): Promise<void>;
}

export function faultsOf(api: TestingApi): Faults {
  return {
    break: async (part) => void (await api.post('faults', { [part]: true })),
    fix: async (part) => void (await api.post('faults', { [part]: false })),
  };
}
