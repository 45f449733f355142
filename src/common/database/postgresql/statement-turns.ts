import { TenantSemaphore } from '../../scheduling/tenant-semaphore.js';

/** How long a statement waits for its turn. */
const MAX_WAIT_MS = { short: 4_000, scan: 10_000 };
const MAX_WAITING = 5_000;
const MAX_WAITING_OF_TENANT = 2_000;
const BUSY = 'Too many statements wait for the database at the moment; try again';

/**
 * Shares the connections of a pool among tenants: one gets at most half of them, and a tenth for scans, of which all together get
 * half. So a short statement of another tenant finds a connection, and PostgreSQL processor time for it.
 */
export class StatementTurns {
  private readonly short: TenantSemaphore;
  private readonly scans: TenantSemaphore;

  constructor(maxConnections: number) {
    const waiting = { maxWaiting: MAX_WAITING, maxWaitingOfTenant: MAX_WAITING_OF_TENANT, busy: BUSY };
    const half = Math.ceil(maxConnections / 2);
    this.short = new TenantSemaphore({ ...waiting, capacity: maxConnections, share: half, maxWaitMs: MAX_WAIT_MS.short });
    this.scans = new TenantSemaphore({
      ...waiting,
      capacity: half,
      share: Math.ceil(maxConnections / 10),
      maxWaitMs: MAX_WAIT_MS.scan,
    });
  }

  /** Runs a statement of a tenant at its turn. @throws SERVICE_UNAVAILABLE if that takes too long */
  async run<T>(tenantId: string, isScan: boolean, work: () => Promise<T>): Promise<T> {
    const turns = isScan ? this.scans : this.short;
    if (!turns.tryTake(tenantId, 1)) await turns.take(tenantId, 1);
    try {
      return await work();
    } finally {
      turns.release(tenantId, 1);
    }
  }
}
