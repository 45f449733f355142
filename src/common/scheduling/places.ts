import { TenantSemaphore } from './tenant-semaphore.js';

/** How long heavy work waits for a place. */
export const MAX_WAIT_MS = 10_000;
const WAITING = {
  maxWaitMs: MAX_WAIT_MS,
  maxWaitingOfTenant: 1_000,
  busy: 'Too much of this work is under way or waiting at the moment; try again',
};

/** Places that are taken, and callers that wait for one. */
export interface Counts {
  running: number;
  waiting: number;
}

/** Makes a bounded number of places for heavy work, of each tenant and of the process. */
export function placesFor(perTenant: number, perProcess: number): TenantSemaphore {
  return new TenantSemaphore({ ...WAITING, share: perTenant, capacity: perProcess });
}
