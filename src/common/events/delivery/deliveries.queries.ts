import type { Database } from '../../database/database.js';
import type { TenantTransaction } from '../../database/tenant-database.js';
import { jsonRows } from '../../database/sql/bulk-insert.js';
import { mapper, type RowOf } from '../../database/sql/columns.js';
import type { Dialect } from '../../database/sql/dialect.js';
import { raw, type Sql, sql } from '../../database/sql/sql.js';
import { MIB } from '../../base/amounts.js';
import { type DueRow, type DueWanted, fairly } from '../../jobs/due-rows.js';
import type { WebhookModel as WebhookRow } from '../../../generated/sqlite/models.js';
import { EVENT } from '../outbox/events.queries.js';
import { type AttemptLine, attemptLine, EARLIER_CHARACTERS } from './attempt-log.js';
import type { DueEvent } from './event-sender.js';

const SENDS = 'a node sends for every tenant';

const CHANGED = EVENT.pick('status', 'attempts', 'dueAt', 'attemptedAt', 'responseStatus', 'answer', 'durationMs', 'lastError');
/** Columns of an event that an attempt updates. */
export interface EventOutcome extends RowOf<typeof CHANGED> {
  id: string;
  status: 'PENDING' | 'DELIVERED' | 'FAILED';
  attemptedAt: Date;
  durationMs: number;
}

const OUTCOMES = jsonRows<EventOutcome & AttemptLine & { webhookId: string }>(
  EVENT.pick('webhookId', 'id', 'attemptLog', ...CHANGED.names).kinds,
);
const APPENDED = `"attemptLog" = COALESCE("Event"."attemptLog" || o."attemptLog", o."attemptLog", "Event"."attemptLog")`;
const CHANGES = raw([...CHANGED.names.map((name) => `"${name}" = o."${name}"`), APPENDED].join());

type Owned = Pick<WebhookRow, 'id' | 'tenantId'>;

/** Stores the outcomes of attempts in one statement. Skips events delivered or cancelled by other means since the attempt. */
export async function storeOutcomes({ dialect, of }: Database, { id, tenantId }: Owned, outcomes: EventOutcome[]): Promise<void> {
  const rows = outcomes.map((outcome) =>
    OUTCOMES.element(dialect, { webhookId: id, ...outcome, attemptLog: attemptLine(outcome) }),
  );
  await of(tenantId).$executeRaw(outcomesStatement(dialect, { id, tenantId }, `[${rows.join()}]`));
}

/**
 * Builds the update. Compares with the webhook of each outcome, and prefixes the other columns: with a constant, or by another index,
 * SQLite would read all events of the webhook for each outcome. Exported for a query plan test.
 */
export function outcomesStatement(dialect: Dialect, { tenantId }: Owned, list: string): Sql {
  const { unindexed } = dialect;
  return sql`
    WITH o AS (SELECT ${OUTCOMES.columns(dialect)} FROM ${OUTCOMES.table(dialect, sql`${list}`)})
    UPDATE "Event" SET ${CHANGES} FROM o
    WHERE "Event"."webhookId" = o."webhookId" AND "Event"."id" = o."id"
      AND ${unindexed}"Event"."tenantId" = ${tenantId} AND ${unindexed}"Event"."status" = 'PENDING'`;
}

interface Due {
  id: string;
  /** Null if the events of the webhook are fetched. */
  dueAt: Date | null;
}

const DUE_AGAIN = jsonRows<Due & { webhookId: string }>(EVENT.pick('webhookId', 'id', 'dueAt').kinds);

/** End of the attempts that are retained with a new series. */
const earlierAttempts = (dialect: Dialect): Sql => {
  const log = `"Event"."attemptLog"`;
  return raw(
    dialect.pick({ sqlite: `substr(${log}, -${EARLIER_CHARACTERS})`, postgresql: `right(${log}, ${EARLIER_CHARACTERS})` }),
  );
};

/** Resets events to PENDING with all attempts left. Returns their number. */
export function makeDue(
  dialect: Dialect,
  own: TenantTransaction,
  { id: webhookId, tenantId }: Owned,
  events: Due[],
): Promise<number> {
  const list = `[${events.map((event) => DUE_AGAIN.element(dialect, { webhookId, ...event })).join()}]`;
  return own.$executeRaw(makeDueStatement(dialect, tenantId, list));
}

/** Builds the reset, like `outcomesStatement`. Exported for a query plan test. */
export function makeDueStatement(dialect: Dialect, tenantId: string, list: string): Sql {
  const unindexed = raw(dialect.pick({ sqlite: '+', postgresql: '' }));
  return sql`
    WITH o AS (SELECT ${DUE_AGAIN.columns(dialect)} FROM ${DUE_AGAIN.table(dialect, sql`${list}`)})
    UPDATE "Event" SET "status" = 'PENDING', "attempts" = 0, "dueAt" = o."dueAt", "attemptLog" = ${earlierAttempts(dialect)} FROM o
    WHERE "Event"."webhookId" = o."webhookId" AND "Event"."id" = o."id" AND ${unindexed}"Event"."tenantId" = ${tenantId}`;
}

/** Maximum total size of bodies read together. A single body can be larger. */
const MAX_PAGE_BYTES = 4 * MIB;

const DUE = mapper(EVENT.pick('id', 'attempts', 'body', 'subject'));

/** Returns due events of a webhook, the longest due first, up to a number and to MAX_PAGE_BYTES. */
export function dueEvents(database: Database, webhook: Owned, limit: number): Promise<(DueEvent & { subject: string })[]> {
  return database.of(webhook.tenantId).$rows(DUE, dueStatement(database.dialect, webhook, limit));
}

/** Selects due events. The status is a literal, so that the partial index can be used. Exported for a query plan test. */
export function dueStatement(dialect: Dialect, { id, tenantId }: Owned, limit: number): Sql {
  const due = sql`
    SELECT "id", "dueAt", "bodyBytes" FROM "Event" ${dialect.indexedBy('Event_due_idx')}
    WHERE "webhookId" = ${id} AND "status" = 'PENDING' AND "dueAt" <= ${dialect.time(new Date())} ORDER BY "dueAt", "id" LIMIT ${limit}`;
  return sql`
    SELECT ${raw(DUE.columns(dialect, 'e'))} FROM (
      SELECT "id", sum("bodyBytes") OVER (ORDER BY "dueAt", "id" ROWS UNBOUNDED PRECEDING) - "bodyBytes" AS "before" FROM (${due}) AS d
    ) AS p JOIN "Event" AS e ON e."webhookId" = ${id} AND e."id" = p."id"
    WHERE e."tenantId" = ${tenantId} AND p."before" < ${MAX_PAGE_BYTES} ORDER BY e."dueAt", e."id"`;
}

/** Returns webhooks with due events that no other node is sending, except those of suspended tenants. Reads one index entry per webhook. */
export function dueWebhooks(database: Database, wanted: DueWanted): Promise<DueRow[]> {
  return database.acrossTenants(SENDS).$queryRaw<DueRow[]>(dueWebhooksStatement(database.dialect, wanted));
}

/**
 * Selects webhooks with due events. Names the index: with that of undelivered events, SQLite would skip all events waiting to be
 * fetched, each second. Exported for a query plan test.
 */
export function dueWebhooksStatement(dialect: Dialect, { holder, excluded, share, limit }: DueWanted): Sql {
  const now = dialect.time(new Date());
  return fairly(
    sql`
      SELECT w."id", w."tenantId", w."failingSince", w."lastDeliveredAt" FROM "Webhook" AS w
      WHERE w."active" AND (w."pausedUntil" IS NULL OR w."pausedUntil" <= ${now})
        AND (w."leaseUntil" IS NULL OR w."leaseUntil" <= ${now} OR w."leaseHolder" = ${holder})
        AND w."id" NOT IN (${dialect.texts(excluded)})
        AND NOT EXISTS (SELECT 1 FROM "Tenant" AS t WHERE t."id" = w."tenantId" AND t."suspendedAt" IS NOT NULL)
        AND EXISTS (
          SELECT 1 FROM "Event" AS e ${dialect.indexedBy('Event_due_idx')}
          WHERE e."webhookId" = w."id" AND e."status" = 'PENDING' AND e."dueAt" <= ${now})`,
    { share, limit },
  );
}
