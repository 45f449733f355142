import { AppError } from '../errors/app-error.js';
import { FairQueue } from '../queues/fair-queue.js';

/** How long a caller waits for a place. */
const MAX_WAIT_MS = 10_000;
/** Callers of one tenant that may wait at the same time. */
const MAX_WAITING_PER_TENANT = 1_000;
const RETRY_AFTER_SECONDS = 2;

interface Waiting {
  signal: AbortSignal;
  /** Whether the caller may wait for another 10 s, since work that it has to follow makes progress. */
  isPatient?: () => boolean;
}

/** A bounded number of places for each tenant and for the process. Tenants that wait take turns. */
export class Places {
  private readonly queue = new FairQueue<() => void>(MAX_WAITING_PER_TENANT);
  private readonly heldByTenant = new Map<string, number>();
  private held = 0;

  constructor(
    private readonly perTenant: number,
    private readonly perProcess: number,
  ) {}

  /** Places that are taken, and callers that wait for one. */
  get counts(): { running: number; waiting: number } {
    return { running: this.held, waiting: this.queue.size };
  }

  /**
   * Takes a place as soon as there is one.
   * @throws SERVICE_UNAVAILABLE after 10 s, or if too many of the tenant wait already; the reason of the signal
   */
  async take(tenantId: string, { signal, isPatient = () => false }: Waiting): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const leave = (reason: unknown): void => {
        if (!this.queue.remove(tenantId, begin)) return;
        settle();
        reject(reason as Error);
      };
      const abort = (): void => leave(signal.reason);
      const timer = setInterval(() => isPatient() || leave(refusal()), MAX_WAIT_MS);
      const settle = (): void => {
        clearInterval(timer);
        signal.removeEventListener('abort', abort);
      };
      const begin = (): void => {
        settle();
        this.held++;
        this.heldByTenant.set(tenantId, this.heldBy(tenantId) + 1);
        resolve();
      };
      signal.addEventListener('abort', abort);
      if (this.queue.add(tenantId, begin)) return this.serve();
      settle();
      reject(refusal());
    });
  }

  release(tenantId: string): void {
    const left = this.heldBy(tenantId) - 1;
    if (left > 0) this.heldByTenant.set(tenantId, left);
    else this.heldByTenant.delete(tenantId);
    this.held--;
    this.serve();
  }

  private heldBy(tenantId: string): number {
    return this.heldByTenant.get(tenantId) ?? 0;
  }

  private serve(): void {
    while (this.held < this.perProcess) {
      const next = this.queue.next((tenantId) => this.perTenant - this.heldBy(tenantId));
      if (!next) return;
      next();
    }
  }
}

function refusal(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', 'Too much of this work is under way or waiting at the moment; try again', {
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  });
}
