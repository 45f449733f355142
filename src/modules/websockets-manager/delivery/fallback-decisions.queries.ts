import type { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { jsonRows } from '../../../common/database/sql/bulk-insert.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { empty, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { settledAt } from '../fallbacks/fallbacks.queries.js';
import { FallbackState } from '../fallbacks/message-fallback.model.js';

const WAITING = raw(`"state" = '${FallbackState.WAITING}'`);

/** Condition that a fallback is due. */
export const fallbacksDue = (dialect: Dialect): Sql =>
  sql`EXISTS (SELECT 1 FROM "FallbackMail" WHERE "dueAt" <= ${dialect.time(new Date())})`;

/** Builds the statement of `tenantsWithDue`. Steps along the index from tenant to tenant. Exported for a query plan test. */
export function tenantsWithDueStatement(dialect: Dialect): Sql {
  const first = (than: Sql) =>
    sql`SELECT (SELECT "tenantId" FROM "FallbackMail" WHERE "tenantId" > ${than} ORDER BY "tenantId" LIMIT 1)`;
  return sql`
    WITH RECURSIVE t("tenantId") AS (
      ${first(sql`''`)} UNION ALL ${first(sql`t."tenantId"`)} FROM t WHERE t."tenantId" IS NOT NULL
    )
    SELECT "tenantId" FROM t WHERE "tenantId" IS NOT NULL AND EXISTS (
      SELECT 1 FROM "FallbackMail" AS d WHERE d."tenantId" = t."tenantId" AND d."dueAt" <= ${dialect.time(new Date())})`;
}

export async function tenantsWithDue(database: Database): Promise<string[]> {
  const every = database.acrossTenants('fallbacks of every tenant fall due');
  return (await every.$cells(tenantsWithDueStatement(database.dialect))).map(([tenantId]) => tenantId as string);
}

/** Fallback that is due, with its message. */
export interface DueFallback {
  pushId: string;
  mailId: string;
  until: string;
  /** Characters of the bodies of its mail. */
  length: number;
  address: string;
  name: string | null;
  recipientKey: string;
  /** True if the message needs no mail any more. */
  isSettled: boolean;
}

/** Builds the statement of `dueFallbacks`. Exported for a query plan test. */
export const dueFallbacksStatement = (dialect: Dialect, tenantId: string, limit: number): Sql => sql`
  SELECT f."pushId", f."mailId", d."until", d."length", f."address", f."name", m."recipientKey",
    CASE WHEN ${raw(settledAt('d."until"'))} IS NULL THEN 0 ELSE 1 END
  FROM (
    SELECT "id", "until", "length" FROM "FallbackMail" WHERE "tenantId" = ${tenantId} AND "dueAt" <= ${dialect.time(new Date())}
    ORDER BY "dueAt" LIMIT ${limit}
  ) AS d
  CROSS JOIN "MessageFallback" AS f CROSS JOIN "Message" AS m
  WHERE f."tenantId" = ${tenantId} AND f."mailId" = d."id" AND f.${WAITING} AND m."tenantId" = ${tenantId} AND m."pushId" = f."pushId"
  LIMIT ${limit}`;

/** Returns fallbacks of a tenant that are due. */
export async function dueFallbacks(database: Database, tenantId: string, limit: number): Promise<DueFallback[]> {
  const rows = await database.of(tenantId).$cells(dueFallbacksStatement(database.dialect, tenantId, limit));
  return rows.map(([pushId, mailId, until, length, address, name, recipientKey, isSettled]) => ({
    pushId: pushId as string,
    mailId: mailId as string,
    until: until as string,
    length: Number(length),
    address: address as string,
    name: name as string | null,
    recipientKey: recipientKey as string,
    isSettled: Number(isSettled) === 1,
  }));
}

/** Outcome of a fallback whose message is not settled. WAITING: none, since it was read as settled. */
export interface Decision {
  pushId: string;
  until: string;
  state: Exclude<FallbackState, FallbackState.NOT_NEEDED>;
  emailId: string | null;
  error: string | null;
}

const DECISIONS = jsonRows<Decision>({ pushId: 'key', until: 'key', state: 'key', emailId: 'key', error: 'text' });

/**
 * Decides fallbacks: this conditional update and a confirmation, which waits for its lock, exclude each other. Returns those decided.
 * Skips messages that are just being confirmed: the next run decides their fallbacks.
 */
export async function decideFallbacks(
  transaction: TenantTransaction,
  dialect: Dialect,
  decisions: Decision[],
): Promise<{ pushId: string; state: FallbackState }[]> {
  const { tenantId } = transaction;
  const list = `[${decisions.map((one) => DECISIONS.element(dialect, one)).join()}]`;
  const ids = dialect.texts(decisions.map(({ pushId }) => pushId));
  const lock = dialect.pick({ sqlite: empty, postgresql: raw('FOR NO KEY UPDATE SKIP LOCKED') });
  return transaction.$queryRaw(sql`
    WITH k AS MATERIALIZED (SELECT ${DECISIONS.columns(dialect)} FROM ${DECISIONS.table(dialect, sql`${list}`)}),
      m AS MATERIALIZED (
        SELECT "pushId", "deliveredAt", "readAt", "archivedAt", "cancelledAt", "cancelReason" FROM "Message"
        WHERE "tenantId" = ${tenantId} AND "pushId" IN (${ids}) ${lock}),
      c AS MATERIALIZED (SELECT k.*, ${raw(settledAt('k."until"'))} AS "settledAt" FROM k JOIN m ON m."pushId" = k."pushId")
    UPDATE "MessageFallback" SET
      "state" = CASE WHEN c."settledAt" IS NULL THEN c."state" ELSE '${raw(FallbackState.NOT_NEEDED)}' END,
      "emailId" = CASE WHEN c."settledAt" IS NULL THEN c."emailId" END, "error" = CASE WHEN c."settledAt" IS NULL THEN c."error" END,
      "decidedAt" = coalesce(c."settledAt", ${dialect.time(new Date())}), "address" = NULL, "name" = NULL
    FROM c
    WHERE "MessageFallback"."tenantId" = ${tenantId} AND "MessageFallback"."pushId" = c."pushId"
      AND "MessageFallback".${WAITING} AND (c."settledAt" IS NOT NULL OR NOT c.${WAITING})
    RETURNING "MessageFallback"."pushId", "MessageFallback"."state"`);
}
