import type { Database } from '../../database/database.js';
import type { Dialect } from '../../database/sql/dialect.js';
import { LATEST_EVENTS, MAX_EVENTS_COUNTED, MAX_WAITING } from '../delivery/limits.js';
import { oneOf, raw, type Sql, sql } from '../../database/sql/sql.js';

/** Counts events queued for active webhooks by tenant, for the given tenants or for all, up to a maximum per tenant. */
export async function waitingEvents(
  database: Database,
  tenantIds?: string[],
  most = MAX_EVENTS_COUNTED,
): Promise<Map<string, number>> {
  const several = database.acrossTenants('the usage of several tenants is read in one statement');
  const rows = await several.$queryRaw<Count[]>(waitingStatement(database.dialect, tenantIds, most));
  return new Map(rows.map(({ id, waiting }) => [id, Number(waiting)]));
}

/** Counts events queued for each active webhook of a tenant, up to a maximum per webhook, the most first. */
export async function waitingByWebhook(database: Database, tenantId: string, most: number): Promise<[string, number][]> {
  const rows = await database.of(tenantId).$queryRaw<Count[]>(sql`
    SELECT w."id", (${countOf(database.dialect, sql`w."id"`, most)}) AS "waiting"
    FROM "Webhook" AS w WHERE w."tenantId" = ${tenantId} AND w."active"`);
  const counts = rows.map(({ id, waiting }): [string, number] => [id, Number(waiting)]);
  return counts.toSorted(([, one], [, other]) => other - one);
}

/** Health of a webhook by its events. */
export interface EventCounts {
  /** Queued events, up to MAX_WAITING. */
  waiting: number;
  /** Share of delivered ones among the delivered and failed of the latest LATEST_EVENTS; null without any. */
  successRate: number | null;
}

/** Counts the queued and the latest events of webhooks, by webhook. */
export async function eventCounts(database: Database, tenantId: string, webhookIds: string[]): Promise<Map<string, EventCounts>> {
  const rows = await database.of(tenantId).$cells(countsStatement(database.dialect, tenantId, webhookIds));
  return new Map(
    rows.map(([id, waiting, rate]) => [
      String(id),
      { waiting: Number(waiting), successRate: rate === null ? null : Number(rate) },
    ]),
  );
}

/** Builds the statement, which reads a bounded number of index entries for each webhook. Exported for a query plan test. */
export function countsStatement(dialect: Dialect, tenantId: string, webhookIds: string[]): Sql {
  return sql`
    SELECT w."id", (${countOf(dialect, sql`w."id"`, MAX_WAITING)}), (
      SELECT avg(CASE l."status" WHEN 'DELIVERED' THEN 1.0 WHEN 'FAILED' THEN 0.0 END) FROM (
        SELECT e."status" FROM "Event" AS e WHERE e."webhookId" = w."id" AND ${dialect.unindexed}e."tenantId" = w."tenantId"
        ORDER BY e."id" DESC LIMIT ${LATEST_EVENTS}) AS l)
    FROM "Webhook" AS w WHERE ${dialect.unindexed}w."tenantId" = ${tenantId} AND ${oneOf('w."id"', webhookIds)}`;
}

interface Count {
  id: string;
  waiting: unknown;
}

/** Counts queued events by tenant. Exported for a query plan test. */
export function waitingStatement(dialect: Dialect, tenantIds: string[] | undefined, most: number): Sql {
  const webhooks = sql`SELECT w."id" FROM "Webhook" AS w WHERE w."tenantId" = t."id" AND w."active"`;
  const ofTenants = tenantIds === undefined ? sql`true` : oneOf('t."id"', tenantIds);
  return sql`SELECT t."id", (${countOf(dialect, webhooks, most)}) AS "waiting" FROM "Tenant" AS t WHERE ${ofTenants}`;
}

/** Counts queued events. The conditions on the status are literals, so that the partial index can be used. */
function countOf(dialect: Dialect, webhooks: Sql, most: number): Sql {
  return sql`
    SELECT count(*) FROM (
      SELECT 1 FROM "Event" AS e ${dialect.indexedBy('Event_undelivered_idx')}
      WHERE e."webhookId" IN (${webhooks}) AND e."status" <> 'DELIVERED' AND e."status" = 'PENDING' LIMIT ${raw(String(most))}) AS c`;
}
