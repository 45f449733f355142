import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { empty, join, raw, scan, type Sql, sql } from '../../../common/database/sql/sql.js';
import { timeOfId } from '../../../common/base/ids.js';
import type { EmailRow } from '../message-storage/email-row.js';
import { LONGEST_WAIT_MS } from './settlement.js';

/** Maximum length of bodies returned by a claim. Longer ones are read just before sending. */
const MAX_SMALL_BODY = 64 * 1024;

/** Message that this node may send until its lease expires. `dateMs` is the value of its Date header. */
export type ClaimedEmail = Pick<
  EmailRow,
  | 'id'
  | 'tenantId'
  | 'messageId'
  | 'fromAddress'
  | 'fromName'
  | 'replyToAddress'
  | 'replyToName'
  | 'subject'
  | 'html'
  | 'text'
  | 'traceContext'
  | 'headers'
  | 'list'
  | 'unsubscribeUrl'
  | 'ignoredReasons'
> & { attempts: number; dateMs: number; giveUpAtMs: number; hasAttachments: boolean; isSmall: boolean };

interface ClaimedRow extends Omit<ClaimedEmail, 'hasAttachments' | 'isSmall' | 'attempts' | 'dateMs' | 'giveUpAtMs'> {
  attempts: number | bigint;
  date: Date | number | bigint;
  giveUpAt: Date | number | bigint;
  hasAttachments: boolean | number | bigint;
  isSmall: boolean | number | bigint;
}

const CLAIMED = `"id","tenantId","messageId","fromAddress","fromName","replyToAddress","replyToName","subject","attempts",
  coalesce("sendAt", "createdAt") AS "date","giveUpAt","hasAttachments","traceContext","headers","list","unsubscribeUrl","ignoredReasons",
  CASE WHEN ${isSmall()} THEN "html" END AS "html", CASE WHEN ${isSmall()} THEN "text" END AS "text", ${isSmall()} AS "isSmall"`;

function isSmall(): string {
  return `coalesce(length("html"), 0) + coalesce(length("text"), 0) <= ${MAX_SMALL_BODY}`;
}

/** Inlines the status as a literal, to enable the partial index. */
const queued = (dialect: Dialect): Sql => sql`"Email" ${dialect.indexedBy('Email_turn_idx')} WHERE "status" = 'QUEUED'`;

interface Turns {
  after: string;
  limit: number;
}

/**
 * Returns tenants with due messages in round-robin order, starting after the last served tenant. Steps along the index from tenant to
 * tenant: the cost is independent of the number of messages.
 */
export async function tenantsInTurn(database: Database, { after, limit }: Turns): Promise<string[]> {
  const behind = await dueTenants(database, { after, limit });
  if (behind.length === limit || after === '') return behind;
  const before = await dueTenants(database, { after: '', limit: limit - behind.length });
  return [...behind, ...before.filter((tenantId) => !behind.includes(tenantId))];
}

async function dueTenants(database: Database, turns: Turns): Promise<string[]> {
  const rows = await database
    .acrossTenants('a node sends for every tenant')
    .$queryRaw<{ tenantId: string }[]>(dueTenantsStatement(database.dialect, turns));
  return rows.map(({ tenantId }) => tenantId);
}

/** Exported for a query plan test. */
export function dueTenantsStatement(dialect: Dialect, { after, limit }: Turns): Sql {
  const first = (than: Sql): Sql =>
    sql`SELECT (SELECT "tenantId" FROM ${queued(dialect)} AND "tenantId" > ${than} ORDER BY "tenantId" LIMIT 1)`;
  return sql`
    WITH RECURSIVE t("tenantId") AS (
      ${first(sql`${after}`)} UNION ALL ${first(sql`t."tenantId"`)} FROM t WHERE t."tenantId" IS NOT NULL
    )
    SELECT "tenantId" FROM t WHERE "tenantId" IS NOT NULL AND EXISTS (
      SELECT 1 FROM ${queued(dialect)} AND "Email"."tenantId" = t."tenantId" AND "dueAt" <= ${dialect.time(new Date())}
    ) LIMIT ${limit}`;
}

interface Claim {
  holder: string;
  leaseMs: number;
  tenantIds: string[];
  /** Maximum messages to claim per tenant. */
  share: number;
}

/** Claims due messages of the tenants, longest due first. Skips messages being claimed by another node. */
export async function claimEmails(database: Database, claim: Claim): Promise<ClaimedEmail[]> {
  const rows = await database
    .acrossTenants('a node sends for every tenant')
    .$queryRaw<ClaimedRow[]>(claimStatement(database.dialect, claim));
  return rows.map(toClaimed).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Exported for a query plan test. */
export function claimStatement(dialect: Dialect, { holder, leaseMs, tenantIds, share }: Claim): Sql {
  const now = Date.now();
  // Literal limits tell the planner that few rows are needed.
  const oldest = (tenantId: Sql): Sql =>
    sql`SELECT "id" FROM ${queued(dialect)} AND "Email"."tenantId" = ${tenantId} AND "dueAt" <= ${dialect.time(new Date(now))}
     ORDER BY "dueAt" LIMIT ${raw(String(share))}`;
  const due = dialect.pick({
    sqlite: () =>
      join(
        tenantIds.map((tenantId) => sql`SELECT * FROM (${oldest(sql`${tenantId}`)})`),
        ' UNION ALL ',
      ),
    postgresql: () => sql`
      SELECT e."id" FROM (${dialect.texts(tenantIds)}) AS t("tenantId")
      CROSS JOIN LATERAL (${oldest(sql`t."tenantId"`)} FOR UPDATE SKIP LOCKED) AS e LIMIT ${raw(String(share * tenantIds.length))}`,
  });
  const materialized = dialect.pick({ sqlite: empty, postgresql: raw('MATERIALIZED') });
  return sql`
    UPDATE "Email" SET "dueAt" = ${dialect.time(new Date(now + leaseMs))}, "leaseHolder" = ${holder}, "attempts" = "attempts" + 1
    WHERE "id" IN (WITH due AS ${materialized} (${due()}) SELECT "id" FROM due) RETURNING ${raw(CLAIMED)}`;
}

/** Converts values explicitly: on SQLite, the columns of RETURNING have no declared types. */
function toClaimed(row: ClaimedRow): ClaimedEmail {
  const { attempts, date, giveUpAt, hasAttachments, isSmall: small, ...rest } = row;
  return {
    ...rest,
    attempts: Number(attempts),
    dateMs: Number(date),
    giveUpAtMs: Number(giveUpAt),
    hasAttachments: Boolean(hasAttachments),
    isSmall: Boolean(small),
  };
}

/** Queued messages over all nodes, except for those scheduled for the future. */
export interface Backlog {
  count: number;
  /** Acceptance or scheduled time of the oldest. */
  oldestMs: number | null;
}

export async function backlogOf(database: Database): Promise<Backlog> {
  const [row] = await database
    .acrossTenants('the metric covers the mails of every tenant')
    .$cells(backlogStatement(database.dialect, new Date()));
  const [count, oldestId, sendAtMs] = row!;
  const times = [...(oldestId === null ? [] : [timeOfId(String(oldestId))]), ...(sendAtMs === null ? [] : [Number(sendAtMs)])];
  return { count: Number(count), oldestMs: times.length > 0 ? Math.min(...times) : null };
}

/**
 * Reads only index entries, and of scheduled messages only those due soon: no other mail waits longer for its next attempt. Exported for a
 * query plan test.
 */
export function backlogStatement(dialect: Dialect, now: Date): Sql {
  const soon = dialect.time(new Date(now.getTime() + LONGEST_WAIT_MS));
  return scan(sql`
    SELECT count(*), min(CASE WHEN "sendAt" IS NULL THEN "id" END), ${raw(dialect.milliseconds('min("sendAt")'))}
    FROM "Email" ${dialect.indexedBy('Email_status_dueAt_id_sendAt_idx')}
    WHERE "status" = 'QUEUED' AND "dueAt" <= ${soon} AND ("sendAt" IS NULL OR "sendAt" <= ${dialect.time(now)})`);
}
