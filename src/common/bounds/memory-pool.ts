import { AppError } from '../errors/app-error.js';

/** So long a caller waits for memory that others hold. */
const MAX_WAIT_MS = 2_000;
/** Callers that wait at the same time, and of one tenant. */
const MAX_WAITING = 1_000;
const MAX_WAITING_PER_TENANT = 250;
const RETRY_AFTER_SECONDS = 2;

interface Waiter {
  sizeBytes: number;
  resume: () => void;
}

/**
 * Memory that all callers share. No tenant gets more than its share, and who waits is served in the order of coming within
 * a tenant, and across tenants where least is held. A wait ends after 2 s, so that operations which hold a part of what they
 * need and wait for each other come free.
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
  async takeOrWait(tenantId: string, sizeBytes: number): Promise<void> {
    if (!this.tryTake(tenantId, sizeBytes)) await this.wait(tenantId, sizeBytes);
  }

  release(tenantId: string, sizeBytes: number): void {
    if (sizeBytes === 0) return;
    this.heldBytes -= sizeBytes;
    const left = (this.heldByTenant.get(tenantId) ?? 0) - sizeBytes;
    if (left > 0) this.heldByTenant.set(tenantId, left);
    else this.heldByTenant.delete(tenantId);
    if (this.waitingCount > 0) this.serve();
  }

  private fits(tenantId: string, sizeBytes: number): boolean {
    return this.heldBytes + sizeBytes <= this.capacityBytes && this.fitsShare(tenantId, sizeBytes);
  }

  private fitsShare(tenantId: string, sizeBytes: number): boolean {
    return (this.heldByTenant.get(tenantId) ?? 0) + sizeBytes <= this.tenantShareBytes;
  }

  private take(tenantId: string, sizeBytes: number): void {
    this.heldBytes += sizeBytes;
    this.heldByTenant.set(tenantId, (this.heldByTenant.get(tenantId) ?? 0) + sizeBytes);
  }

  private wait(tenantId: string, sizeBytes: number): Promise<void> {
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
        resume: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      own.push(waiter);
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
        .toSorted(([a], [b]) => (this.heldByTenant.get(a) ?? 0) - (this.heldByTenant.get(b) ?? 0))[0];
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
