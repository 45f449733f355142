import { AppError } from '../errors/app-error.js';

/** How long a caller waits for memory that others hold. */
const MAX_WAIT_MS = 2_000;
/** Callers that may wait at the same time, in all and of one tenant. */
const MAX_WAITING = 1_000;
const MAX_WAITING_PER_TENANT = 250;
const RETRY_AFTER_SECONDS = 2;

interface Waiter {
  sizeBytes: number;
  /** Whether it holds some memory already, which nobody else can have until it gets more or ends. */
  holdsSome: boolean;
  resume: () => void;
}

/**
 * Memory that all callers share. No tenant gets more than its share. Operations that hold part of the memory they need are
 * served first, then the tenants that hold least; within a tenant, the order of arrival counts. A wait ends after 2 s, which
 * frees operations that wait for each other: the first gives up, and the next goes on with the memory that it releases.
 */
export class MemoryPool {
  private heldBytes = 0;
  private readonly heldByTenant = new Map<string, number>();
  private readonly waiting = new Map<string, Waiter[]>();
  private waitingCount = 0;

  constructor(
    readonly capacityBytes: number,
    private readonly tenantShareBytes: number,
  ) {}

  /** Bytes that are held now. */
  get size(): number {
    return this.heldBytes;
  }

  /** Takes memory if there is enough and nobody waits for some. Returns whether it did. */
  tryTake(tenantId: string, sizeBytes: number): boolean {
    if (this.waitingCount > 0 || !this.fits(tenantId, sizeBytes)) return false;
    this.take(tenantId, sizeBytes);
    return true;
  }

  /** Takes memory as soon as there is enough. @throws SERVICE_UNAVAILABLE after 2 s, or if too many wait already */
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
        this.serve(); // callers behind it may fit
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

  /** Passes over tenants at their share. If the first of the others still lacks memory of the pool, all wait for it. */
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
  return new AppError('SERVICE_UNAVAILABLE', 'The server is receiving and answering too much at the moment; try again', {
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  });
}
