import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppError } from '../base/app-error.js';
import { Database } from '../database/database.js';
import { DuePoll } from '../database/due-poll.js';
import type { TenantReader } from '../database/tenant-database.js';
import { sql } from '../database/sql/sql.js';

/** Time within which a change of a parent takes effect on every node. */
export const PARENT_WITHIN_MS = 5_000;

/** Time before any change, of a node that has read none. */
const NEVER = new Date(0);

/**
 * Caches the parent of each child, so that reads of a tenant without one cost nothing more. The poll reads the changes since the last
 * reading. A child takes 200 bytes. While the database is unavailable, the last result applies.
 */
@Injectable()
export class ParentTenants implements OnModuleInit {
  private readonly parents = new Map<string, string>();
  private readUpTo = NEVER;

  constructor(
    private readonly database: Database,
    poll: DuePoll,
  ) {
    poll.whenDue(
      (dialect) => sql`EXISTS (SELECT 1 FROM "Tenant" WHERE "parentSetAt" > ${dialect.time(this.readUpTo)})`,
      (isChanged) => isChanged && void this.read().catch(() => undefined), // readiness reports the database
    );
  }

  /** Loads the parents before the node listens. */
  async onModuleInit(): Promise<void> {
    await this.read();
  }

  /** Returns the rows of a tenant's parent, if it has one. The only way to the rows of another tenant that a request has. */
  of(tenantId: string): TenantReader | undefined {
    const parentId = this.parents.get(tenantId);
    return parentId === undefined ? undefined : this.database.ofParent(parentId);
  }

  private async read(): Promise<void> {
    const { tenant } = this.database.acrossTenants('requests of every tenant ask here');
    const rows = await tenant.findMany({
      where: { parentSetAt: { gt: this.readUpTo } },
      select: { id: true, parentId: true, parentSetAt: true },
      orderBy: { parentSetAt: 'asc' },
    });
    for (const { id, parentId, parentSetAt } of rows) {
      if (parentId === null) this.parents.delete(id);
      else this.parents.set(id, parentId);
      this.readUpTo = parentSetAt!;
    }
  }
}

/** Refuses to change what a tenant reads of its parent. `what` is such as `The template "a"`. */
export const inheritedIsReadOnly = (what: string): AppError =>
  new AppError(
    'FAILED_PRECONDITION',
    `${what} is inherited from the parent tenant, which alone can change it; create one of the same name to replace it`,
  );
