import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../database/database.js';
import { DuePoll } from '../database/due-poll.js';
import { sql } from '../database/sql/sql.js';
import { AppError } from '../base/app-error.js';

/** Time within which a change takes effect on every node. */
export const SUSPENDED_WITHIN_MS = 4_000;

type Reason = 'suspended' | 'deleting';

const MESSAGES: Record<Reason, string> = {
  suspended: 'The tenant is suspended; its operator can resume it',
  deleting: 'The tenant is being deleted',
};

/**
 * Caches the tenants whose requests are refused: suspended ones, and those being deleted. Rereads them when the poll finds a change, so
 * that a request needs no query. While the database is unavailable, the last result applies.
 */
@Injectable()
export class SuspendedTenants implements OnModuleInit {
  private reasons = new Map<string, Reason>();
  private readonly listeners: (() => void)[] = [];

  constructor(
    private readonly database: Database,
    poll: DuePoll,
  ) {
    const areAny = () => sql`EXISTS (SELECT 1 FROM "Tenant" WHERE "suspendedAt" IS NOT NULL)`;
    // Rereads every second while there are any, since their connections are closed after each reading.
    poll.whenDue(areAny, (any) => (any || this.reasons.size > 0) && void this.read().catch(() => undefined)); // readiness reports the database
  }

  /** Loads the tenants before the node listens. */
  async onModuleInit(): Promise<void> {
    await this.read();
  }

  has(tenantId: string): boolean {
    return this.reasons.has(tenantId);
  }

  /** Checks a tenant. @throws FORBIDDEN if it is suspended or being deleted */
  check(tenantId: string): void {
    const reason = this.reasons.get(tenantId);
    if (reason) throw new AppError('FORBIDDEN', MESSAGES[reason]);
  }

  /** Calls `listener` after each reading that found any tenant. */
  onRefresh(listener: () => void): void {
    this.listeners.push(listener);
  }

  private async read(): Promise<void> {
    const rows = await this.database.acrossTenants('requests of every tenant ask here').tenant.findMany({
      where: { suspendedAt: { not: null } },
      select: { id: true, deletingAt: true },
    });
    this.reasons = new Map(rows.map(({ id, deletingAt }) => [id, deletingAt ? 'deleting' : 'suspended']));
    if (rows.length > 0) for (const listener of this.listeners) listener();
  }
}
