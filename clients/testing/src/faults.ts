import type { TestingApi } from './testing-api.js';

/** The mail server; the store with the bytes of files; the bus that leads to recipients connected elsewhere. */
export type Part = 'mail' | 'store' | 'bus';

/** Faults of a server that belongs to one test file alone. */
export interface Faults {
  /** Takes a part away: services that need it fail or wait, as they do in production. */
  break(part: Part): Promise<void>;
  /** Brings it back. Mails that were tried meanwhile go out at their next attempt: advance the clock. */
  fix(part: Part): Promise<void>;
}

export function faultsOf(api: TestingApi): Faults {
  return {
    break: async (part) => void (await api.post('faults', { [part]: true })),
    fix: async (part) => void (await api.post('faults', { [part]: false })),
  };
}
