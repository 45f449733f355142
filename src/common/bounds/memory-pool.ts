import { AppError } from '../errors/app-error.js';

/** So long a caller waits for memory that others hold. */
const MAX_WAIT_MS = 2_000;
/** Callers that wait at the same time, and of one tenant. */
const MAX_WAITING = 1_000;
const MAX_WAITING_PER_TENANT = 250;
const RETRY_AFTER_SECONDS = 2;

interface Waiter {
  sizeBytes: number;
  /** Whether it has some memory already; until it gets more, or ends, nobody else can have that. */
  holdsSome: boolean;
  resume: () => void;
}

/**
 * Memory that all callers share. No tenant gets more than its share. Served first are operations that hold a part of what
 * they need, then tenants that hold least; within a tenant in the order of coming. A wait ends after 2 s, so that operations
 * which wait for each other come free: the first gives up, and the next goes on with what that gives back.
 */
export class MemoryPool {
  private heldBytes = 0;
  private readonly heldByTenant = new Map<string, number>();
  private readonly waiting = new Map<string, Waiter[]>();
  private waitingCount = 0;

  constructor(
    private readonly capacityBytes: number,
    private readonly tenantShareBytes: number,
  ) {}

  /** What is held now. */
  get size(): number {
    return this.heldBytes;
  }

  /** Takes memory when it is there and nobody waits for some. */
  tryTake(tenantId: string, sizeBytes: number): boolean {
    if (this.waitingCount > 0 || !this.fits(tenantId, sizeBytes)) return false;
    this.take(tenantId, sizeBytes);
    return true;
  }

  /** Takes memory as soon as it is there. @throws SERVICE_UNAVAILABLE when that takes longer than 2 s */
  async takeOrWait(tenantId: string, sizeBytes: number, { holdsSome = false } = {}): Promise<void> {
    if (!this.tryTake(tenantId, sizeBytes)) await this.wait(tenantId, sizeBytes, holdsSome);
  }

  release(tenantId: string, sizeBytes: number): void {
    if (sizeBytes === 0) return;
    this.heldBytes -= sizeBytes;
    const left = this.heldBy(tenantId) - sizeBytes;
    if (left > 0) this.heldByTenant.set(tenantId, left);
    else this.heldByTenant.delete(tenantId);
    if (this.waitingCount > 0) this.serve();
  }

  private heldBy(tenantId: string): number {
    return this.heldByTenant.get(tenantId) ?? 0;
  }

  private fits(tenantId: string, sizeBytes: number): boolean {
    return this.heldBytes + sizeBytes <= this.capacityBytes && this.fitsShare(tenantId, sizeBytes);
  }

  private fitsShare(tenantId: string, sizeBytes: number): boolean {
    return this.heldBy(tenantId) + sizeBytes <= this.tenantShareBytes;
  }

  private take(tenantId: string, sizeBytes: number): void {
    this.heldBytes += sizeBytes;
    this.heldByTenant.set(tenantId, this.heldBy(tenantId) + sizeBytes);
  }

  private wait(tenantId: string, sizeBytes: number, holdsSome: boolean): Promise<void> {
    const own = this.waiting.get(tenantId) ?? [];
    if (this.waitingCount >= MAX_WAITING || own.length >= MAX_WAITING_PER_TENANT) throw busy();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.leave(tenantId, waiter);
        reject(busy());
        this.serve(); // those behind it may fit
      }, MAX_WAIT_MS);
      const waiter: Waiter = {
        sizeBytes,
        holdsSome,
        resume: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      own.splice(holdsSome ? own.filter((other) => other.holdsSome).length : own.length, 0, waiter);
      this.waiting.set(tenantId, own);
      this.waitingCount++;
      this.serve();
    });
  }

  private leave(tenantId: string, waiter: Waiter): void {
    const own = this.waiting.get(tenantId) ?? [];
    own.splice(own.indexOf(waiter), 1);
    if (own.length === 0) this.waiting.delete(tenantId);
    this.waitingCount--;
  }

  /** A tenant at its share is passed over; for one that only waits for the others to give back, all wait. */
  private serve(): void {
    for (;;) {
      const first = [...this.waiting]
        .filter(([tenantId, [waiter]]) => this.fitsShare(tenantId, waiter!.sizeBytes))
        .toSorted(
          ([a, [ofA]], [b, [ofB]]) => Number(ofB!.holdsSome) - Number(ofA!.holdsSome) || this.heldBy(a) - this.heldBy(b),
        )[0];
      if (!first) return;
      const [tenantId, [waiter]] = first;
      if (!this.fits(tenantId, waiter!.sizeBytes)) return;
      this.leave(tenantId, waiter!);
      this.take(tenantId, waiter!.sizeBytes);
      waiter!.resume();
    }
  }
}

function busy(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', 'Too much is being received and answered at this moment; try again', {
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  });
}
