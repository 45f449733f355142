import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { empty, join, raw, scan, type Sql, sql } from '../../../common/database/sql/sql.js';
import { timeOfId } from '../../../common/base/ids.js';
import type { EmailRow } from '../message-storage/email-row.js';
import { LONGEST_WAIT_MS } from './settlement.js';

/** The longest bodies that a claim returns; longer bodies are read just before the message is sent. */
const MAX_SMALL_BODY = 64 * 1024;

/** A message that this node may send until its lease ends. `dateMs` is the date that its readers see. */
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

/** The status is a literal in the statement, so that the partial index can be used. */
const queued = (dialect: Dialect): Sql => sql`"Email" ${dialect.indexedBy('Email_turn_idx')} WHERE "status" = 'QUEUED'`;

interface Turns {
  after: string;
  limit: number;
}

/**
 * Returns tenants that have messages due, in round-robin order: first the ids after the last served tenant, then from the lowest
 * id. Steps along the index from tenant to tenant, so the cost does not grow with the messages of a tenant.
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

/** Exported so that a test can explain it. */
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
  /** How many messages to claim from each tenant at most. */
  share: number;
}

/** Claims due messages of the tenants, the longest due first. Skips messages that another node is claiming. */
export async function claimEmails(database: Database, claim: Claim): Promise<ClaimedEmail[]> {
  const rows = await database
    .acrossTenants('a node sends for every tenant')
    .$queryRaw<ClaimedRow[]>(claimStatement(database.dialect, claim));
  return rows.map(toClaimed).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Exported so that a test can explain it. */
export function claimStatement(dialect: Dialect, { holder, leaseMs, tenantIds, share }: Claim): Sql {
  const now = Date.now();
  // The limits are literals, so that the planner knows that only few rows are needed.
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

/** Converts the values by hand: on SQLite, the columns of RETURNING have no declared types. */
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

/** The messages that wait in the outbox to be sent, counted for all nodes together; without those scheduled for a time to come. */
export interface Backlog {
  count: number;
  /** When the oldest began to wait: when it was accepted, or the time it was scheduled for. */
  oldestMs: number | null;
}

export async function backlogOf(database: Database): Promise<Backlog> {
  const [row] = await database
    .acrossTenants('the mails of every tenant are one figure of this service')
    .$cells(backlogStatement(database.dialect, new Date()));
  const [count, oldestId, sendAtMs] = row!;
  const times = [...(oldestId === null ? [] : [timeOfId(String(oldestId))]), ...(sendAtMs === null ? [] : [Number(sendAtMs)])];
  return { count: Number(count), oldestMs: times.length > 0 ? Math.min(...times) : null };
}

/**
 * Reads entries of an index alone, and no more of those scheduled than are due soon: no other mail waits longer for its next
 * attempt. Exported so that a test can explain it.
 */
export function backlogStatement(dialect: Dialect, now: Date): Sql {
  const soon = dialect.time(new Date(now.getTime() + LONGEST_WAIT_MS));
  return scan(sql`
    SELECT count(*), min(CASE WHEN "sendAt" IS NULL THEN "id" END), ${raw(dialect.milliseconds('min("sendAt")'))}
    FROM "Email" ${dialect.indexedBy('Email_status_dueAt_id_sendAt_idx')}
    WHERE "status" = 'QUEUED' AND "dueAt" <= ${soon} AND ("sendAt" IS NULL OR "sendAt" <= ${dialect.time(now)})`);
}
