import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { withoutCase } from '../../database/sql/text-conditions.js';
import { lowerAscii } from '../../base/text.js';
import { join, raw, type Sql, sql } from '../../database/sql/sql.js';
import { lowestIdAt } from '../../base/ids.js';
import { type ErasureStep, NOTHING_ERASED, type Person, TenantData } from '../../tenants/tenant-data.js';

/** Maximum number of events that one step reads or removes. */
const ROWS_PER_STEP = 500;

/** Removes events after their retention period, with their tenant, or when they name an erased person. */
@Injectable()
export class EventRetention {
  constructor(
    private readonly database: Database,
    data: TenantData,
  ) {
    data.addRows('events', 'Event', 'webhookId', 'id');
    data.addTrace({ kind: 'events', erase: (tenantId, person) => this.erase(tenantId, person) });
    data.addRetained({
      kind: 'events',
      remove: async (tenantId, olderThan, { limit }) => {
        const removed = await this.removeSome(tenantId, sql`"id" < ${lowestIdAt(olderThan.getTime())}`, limit);
        return { removed, more: removed === limit };
      },
    });
  }

  /** Removes events whose body contains an identifier of the person as a whole text, including queued ones. */
  private async erase(tenantId: string, { authorId, recipient, emailAddress }: Person): Promise<ErasureStep> {
    const { dialect } = this.database;
    const find = raw(dialect.position);
    const named: Sql[] = [authorId, recipient]
      .filter((text) => text !== null)
      .map((text) => sql`${find}("body", ${JSON.stringify(text)}) > 0`);
    if (emailAddress !== null) {
      named.push(sql`${find}(${withoutCase(dialect, '"body"')}, ${lowerAscii(JSON.stringify(emailAddress))}) > 0`);
    }
    if (named.length === 0) return NOTHING_ERASED;
    const erased = await this.removeSome(tenantId, sql`(${join(named, ' OR ')})`, ROWS_PER_STEP);
    return { erased, more: erased === ROWS_PER_STEP };
  }

  private removeSome(tenantId: string, condition: Sql, limit: number): Promise<number> {
    return this.database.of(tenantId).$executeRaw(sql`
      DELETE FROM "Event" WHERE "tenantId" = ${tenantId} AND ("webhookId", "id") IN (
        SELECT "webhookId", "id" FROM "Event" WHERE "tenantId" = ${tenantId} AND ${condition} ORDER BY "id" LIMIT ${limit})`);
  }
}
