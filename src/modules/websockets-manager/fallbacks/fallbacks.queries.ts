import type { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { bulkInsert } from '../../../common/database/sql/bulk-insert.js';
import { Columns } from '../../../common/database/sql/columns.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { withoutCase } from '../../../common/database/sql/text-conditions.js';
import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import type { FallbackMailModel, MessageFallbackModel } from '../../../generated/sqlite/models.js';
import { FallbackCondition, FallbackState, type MessageFallback } from './message-fallback.model.js';

const WAITING = raw(`"state" = '${FallbackState.WAITING}'`);
type NewFallback = Pick<MessageFallbackModel, 'tenantId' | 'pushId' | 'mailId' | 'address' | 'name'>;
const NEW_FALLBACK = { tenantId: 'key', pushId: 'key', mailId: 'key', address: 'key', name: 'text' } as const;
const FALLBACKS = bulkInsert(new Columns<NewFallback>('MessageFallback', NEW_FALLBACK), {
  state: `'${FallbackState.WAITING}'`,
});

/** Times of a message `m` that confirm it. An archived message needs no mail either. */
const CONFIRMED_AT: Record<FallbackCondition, string> = {
  DELIVERED: 'm."deliveredAt"',
  READ: 'coalesce(m."readAt", m."archivedAt")',
};

/** Returns the time since which a message `m` needs no mail: that of its confirmation, or of its cancellation by the application. */
export function settledAt(until: string): string {
  const confirmed = Object.values(FallbackCondition).map((one) => `WHEN '${one}' THEN ${CONFIRMED_AT[one]}`);
  const cancelled = `CASE m."cancelReason" WHEN 'CANCELLED_BY_CALLER' THEN m."cancelledAt" END`;
  return `coalesce(CASE ${until} ${confirmed.join(' ')} END, ${cancelled})`;
}

/** Inserts the mail and the fallbacks of a push. */
export async function insertFallbacks(
  transaction: TenantTransaction,
  dialect: Dialect,
  { mail, fallbacks }: { mail: FallbackMailModel; fallbacks: NewFallback[] },
): Promise<void> {
  await transaction.fallbackMail.create({ data: mail });
  const rows = `[${fallbacks.map((one) => FALLBACKS.element(dialect, one)).join()}]`;
  const all = transaction.acrossTenants('each fallback brings its tenant');
  await all.$executeRaw(sql`${FALLBACKS.insert(dialect)} FROM ${FALLBACKS.table(dialect, sql`${rows}`)}`);
}

/** Returns the fallbacks of messages by id. One that is settled but not yet decided is already shown as NOT_NEEDED. */
export async function fallbacksOf(database: Database, tenantId: string, ids: string[]): Promise<Map<string, MessageFallback>> {
  const { dialect } = database;
  const time = (column: string): Sql => raw(dialect.milliseconds(column));
  const rows = await database.of(tenantId).$cells(sql`
    SELECT f."pushId", f."state", f."emailId", f."error", ${time('f."decidedAt"')}, ${time('d."dueAt"')}, ${time(settledAt('d."until"'))}
    FROM "MessageFallback" AS f
    LEFT JOIN "FallbackMail" AS d ON d."tenantId" = f."tenantId" AND d."id" = f."mailId"
    LEFT JOIN "Message" AS m ON m."tenantId" = f."tenantId" AND m."pushId" = f."pushId"
    WHERE f."tenantId" = ${tenantId} AND f."pushId" IN (${dialect.texts(ids)})`);
  return new Map(
    rows.map(([pushId, stored, emailId, error, decidedMs, dueMs, settledMs]) => {
      const isSettled = stored === FallbackState.WAITING && settledMs !== null;
      const state = isSettled ? FallbackState.NOT_NEEDED : (stored as FallbackState);
      const at = new Date(Number(decidedMs ?? settledMs ?? dueMs));
      return [pushId as string, { state, at, emailId: emailId as string | null, error: error as string | null }];
    }),
  );
}

/** Withdraws the fallback of a message if it is still WAITING. */
export async function withdrawFallback(database: Database, tenantId: string, pushId: string): Promise<void> {
  const data = { state: FallbackState.NOT_NEEDED, decidedAt: new Date(), address: null, name: null };
  await database.of(tenantId).messageFallback.updateMany({ where: { pushId, state: FallbackState.WAITING }, data });
}

/** Removes mails without a WAITING fallback: those with the ids, or all that are due. */
export async function removeEndedMails(transaction: TenantTransaction, ids: Sql): Promise<void> {
  const { tenantId } = transaction;
  await transaction.$executeRaw(sql`
    DELETE FROM "FallbackMail" WHERE "tenantId" = ${tenantId} AND "id" IN (${ids}) AND NOT EXISTS (
      SELECT 1 FROM "MessageFallback" AS f WHERE f."tenantId" = "FallbackMail"."tenantId" AND f."mailId" = "FallbackMail"."id"
        AND f.${WAITING})`);
}

/** Removes fallbacks returned by a deletion, and mails that nobody waits for any more. */
async function removed(transaction: TenantTransaction, dialect: Dialect, deletion: Sql): Promise<number> {
  const rows = await transaction.$queryRaw<{ mailId: string }[]>(sql`${deletion} RETURNING "mailId"`);
  const mailIds = [...new Set(rows.map(({ mailId }) => mailId))];
  if (mailIds.length > 0) await removeEndedMails(transaction, dialect.texts(mailIds));
  return rows.length;
}

/** Removes the fallbacks of messages. */
export function removeFallbacks(transaction: TenantTransaction, dialect: Dialect, pushIds: string[]): Promise<number> {
  const ids = dialect.texts(pushIds);
  const deletion = sql`DELETE FROM "MessageFallback" WHERE "tenantId" = ${transaction.tenantId} AND "pushId" IN (${ids})`;
  return removed(transaction, dialect, deletion);
}

/** Removes WAITING fallbacks to or from an address, normalized by `lowerAscii`. Decided ones contain no address. */
export function removeFallbacksOf(
  transaction: TenantTransaction,
  dialect: Dialect,
  { address, limit }: { address: string; limit: number },
): Promise<number> {
  const { tenantId } = transaction;
  const is = (column: string) => sql`${withoutCase(dialect, column)} = ${address}`;
  const deletion = sql`
    DELETE FROM "MessageFallback" WHERE "tenantId" = ${tenantId} AND "pushId" IN (
      SELECT f."pushId" FROM "MessageFallback" AS f JOIN "FallbackMail" AS d ON d."tenantId" = f."tenantId" AND d."id" = f."mailId"
      WHERE f."tenantId" = ${tenantId} AND f.${WAITING} AND (${is('f."address"')} OR ${is('d."fromAddress"')}) LIMIT ${limit})`;
  return removed(transaction, dialect, deletion);
}
