import { TenantSemaphore } from '../../scheduling/tenant-semaphore.js';

/** Maximum wait of a statement for its turn. */
const MAX_WAIT_MS = { short: 4_000, scan: 10_000 };
const MAX_WAITING = 5_000;
const MAX_WAITING_OF_TENANT = 2_000;
const BUSY = 'Too many statements are waiting for the database; try again';

/**
 * Shares the connections of a pool among tenants. A tenant gets at most half of them, and a tenth for scans; all scans together get
 * half. Short statements of other tenants then find a connection, and PostgreSQL has processor time for them.
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

  /** Runs a statement at its tenant's turn. @throws SERVICE_UNAVAILABLE after the maximum wait */
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
