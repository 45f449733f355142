import { AppError } from '../errors/app-error.js';
import { TenantScheduler } from '../queues/tenant-scheduler.js';

const RETRY_AFTER_SECONDS = 2;

interface Limits {
  /** Units that all tenants together may hold, and one of them. */
  capacity: number;
  share: number;
  /** How long a caller waits. */
  maxWaitMs: number;
  /** Callers that may wait at the same time, in all and of one tenant. */
  maxWaiting?: number;
  maxWaitingOfTenant: number;
  /** The message of the error for a caller that waited too long, or may not wait. */
  busy: string;
}

interface Wait {
  /** Whether the caller holds some units already, which nobody else can have until it gets more or ends. Such callers come first. */
  holdsSome?: boolean;
  /** Ends the wait. */
  signal?: AbortSignal;
  /** Whether the caller may wait for the same time again, since work that it has to follow makes progress. */
  isPatient?: () => boolean;
}

/**
 * A bounded number of units, such as bytes of memory or places, of which no tenant gets more than its share. A wait ends after
 * a while, which frees callers that wait for each other: the first gives up, and the next goes on with what it releases.
 */
export class TenantSemaphore {
  private readonly scheduler: TenantScheduler<() => void>;

  constructor(private readonly limits: Limits) {
    this.scheduler = new TenantScheduler(limits);
  }

  get capacity(): number {
    return this.limits.capacity;
  }

  /** Units that are held now. */
  get held(): number {
    return this.scheduler.held;
  }

  /** Callers that wait now. */
  get waiting(): number {
    return this.scheduler.waiting;
  }

  /** Takes units if there are enough and nobody waits for some. Returns whether it did. */
  tryTake(tenantId: string, size: number): boolean {
    return this.scheduler.tryTake(tenantId, size);
  }

  /** Takes units as soon as there are enough. @throws SERVICE_UNAVAILABLE if that takes too long; the reason of the signal */
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
        this.serve(); // callers behind it may fit
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
      reject(this.refusal());
    });
  }

  private serve(): void {
    for (let begin = this.scheduler.next(); begin; begin = this.scheduler.next()) begin();
  }

  private refusal(): AppError {
    return new AppError('SERVICE_UNAVAILABLE', this.limits.busy, { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } });
  }
}
