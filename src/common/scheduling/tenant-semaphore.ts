import { AppError } from '../base/app-error.js';
import { TenantScheduler } from './tenant-scheduler.js';

const RETRY_AFTER_SECONDS = 2;

interface Limits {
  /** Maximum units held by all tenants together, and by one tenant. */
  capacity: number;
  share: number;
  /** Maximum wait of a caller for units. */
  maxWaitMs: number;
  /** Maximum number of waiting callers, of all tenants together and of one. */
  maxWaiting?: number;
  maxWaitingOfTenant: number;
  /** Error message for a caller that waited too long, or that finds too many callers waiting. */
  busy: string;
  /** Error for a caller that finds too many of its tenant waiting, if different. */
  full?: () => AppError;
}

interface Wait {
  /** True if the caller already holds units, which stay taken until it gets more or ends. Such callers come first. */
  holdsSome?: boolean;
  /** Aborts the wait. */
  signal?: AbortSignal;
  /** Returns whether the caller may wait for the same time again, because the work ahead of it makes progress. */
  isPatient?: () => boolean;
}

/**
 * Semaphore with a share per tenant, for units such as bytes of memory or slots. The time of a wait is limited, which resolves
 * deadlocks: the first caller gives up, and the next gets the units that it releases.
 */
export class TenantSemaphore {
  private readonly scheduler: TenantScheduler<() => void>;

  constructor(private readonly limits: Limits) {
    this.scheduler = new TenantScheduler(limits);
  }

  get capacity(): number {
    return this.limits.capacity;
  }

  /** Number of units held. */
  get held(): number {
    return this.scheduler.held;
  }

  /** Number of waiting callers. */
  get waiting(): number {
    return this.scheduler.waiting;
  }

  /** Acquires units if enough are free and no caller waits. Returns whether it did. */
  tryTake(tenantId: string, size: number): boolean {
    return this.scheduler.tryTake(tenantId, size);
  }

  /** Acquires units, waiting until enough are free. @throws SERVICE_UNAVAILABLE after too long a wait; the reason of the signal */
  async take(tenantId: string, size: number, wait: Wait = {}): Promise<void> {
    wait.signal?.throwIfAborted();
    if (!this.tryTake(tenantId, size)) await this.wait(tenantId, size, wait);
  }

  release(tenantId: string, size: number): void {
    this.scheduler.release(tenantId, size);
    this.serve();
  }

  private wait(tenantId: string, size: number, { holdsSome, signal, isPatient = () => false }: Wait): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (reason: unknown): void => {
        if (!this.scheduler.remove(tenantId, begin)) return;
        settle();
        reject(reason as Error);
        this.serve(); // a caller that waited behind this one may fit now
      };
      const abort = (): void => leave(signal!.reason);
      const timer = setInterval(() => isPatient() || leave(this.refusal()), this.limits.maxWaitMs);
      const settle = (): void => {
        clearInterval(timer);
        signal?.removeEventListener('abort', abort);
      };
      const begin = (): void => {
        settle();
        resolve();
      };
      signal?.addEventListener('abort', abort);
      if (this.scheduler.add(tenantId, begin, { size, isUrgent: holdsSome })) return this.serve();
      settle();
      reject(this.isFull ? this.refusal() : (this.limits.full?.() ?? this.refusal()));
    });
  }

  private serve(): void {
    for (let begin = this.scheduler.next(); begin; begin = this.scheduler.next()) begin();
  }

  /** True if too many callers wait, over all tenants. */
  private get isFull(): boolean {
    return this.waiting >= (this.limits.maxWaiting ?? Infinity);
  }

  private refusal(): AppError {
    return new AppError('SERVICE_UNAVAILABLE', this.limits.busy, { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } });
  }
}

/** Maximum wait of heavy work for a slot. */
export const MAX_WAIT_MS = 10_000;
const WAITING = {
  maxWaitMs: MAX_WAIT_MS,
  maxWaitingOfTenant: 1_000,
  busy: 'Too much of this work is running or waiting; try again',
};

/** Taken slots, and callers that wait for one. */
export interface Counts {
  running: number;
  waiting: number;
}

/** Creates a bounded number of slots for heavy work, per tenant and per process. */
export function slotsFor(perTenant: number, perProcess: number): TenantSemaphore {
  return new TenantSemaphore({ ...WAITING, share: perTenant, capacity: perProcess });
}
