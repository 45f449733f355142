import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { allOf, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { lowestIdAt } from '../../../common/base/ids.js';
import { CONFIRMATION_MS, MessageStatus, TRANSITIONS } from './message-states.js';
import type { MessageKey } from './message-row.js';

const { to, stamp, reason } = TRANSITIONS.cancelled;
const PENDING = `"status" = '${MessageStatus.PENDING}'`;
const CANCELLED = raw(`"status" = '${to}', "cancelReason" = '${reason}', "${stamp}"`);

/** Cancels a message if it is still PENDING. */
export const cancelStatement = (dialect: Dialect, { tenantId, pushId, recipientKey }: MessageKey): Sql => sql`
  UPDATE "Message" SET ${CANCELLED} = ${dialect.time(new Date())}
  WHERE "tenantId" = ${tenantId} AND "pushId" = ${pushId} AND "recipientKey" = ${recipientKey} AND ${raw(PENDING)}`;

/** Cancels a global message unless it is already cancelled, or none of its copies can still be confirmed. */
export async function cancelGlobal(database: Database, { tenantId, id }: { tenantId: string; id: string }): Promise<void> {
  const { dialect } = database;
  const now = new Date();
  const confirmable = new Date(now.getTime() - CONFIRMATION_MS);
  await database.of(tenantId).$executeRaw(sql`
    UPDATE "GlobalMessage" SET "cancelledAt" = ${dialect.time(now)}
    WHERE "tenantId" = ${tenantId} AND "id" = ${id} AND "cancelledAt" IS NULL
      AND ("expiresAt" > ${dialect.time(confirmable)} OR "expiresAt" IS NULL AND "id" >= ${lowestIdAt(confirmable.getTime())})`);
}

interface CopiesWanted {
  /** Earliest cancellation of the global message. */
  since: Date;
  /** Restriction to one global message. */
  globalMessage?: { tenantId: string; id: string };
  limit: number;
}

/** Cancels up to `limit` PENDING copies of cancelled global messages. */
export function cancelCopiesStatement(dialect: Dialect, { since, globalMessage, limit }: CopiesWanted): Sql {
  const wanted = [sql`g."cancelledAt" >= ${dialect.time(since)}`];
  if (globalMessage) wanted.push(sql`g."tenantId" = ${globalMessage.tenantId} AND g."id" = ${globalMessage.id}`);
  const isCopy = `m."tenantId" = g."tenantId" AND m."pushId" = g."id" AND m.${PENDING}`;
  // Fixes the join order on both databases.
  const copies = dialect.pick({
    sqlite: `"Message" AS m INDEXED BY "Message_tenantId_status_idx" ON ${isCopy}`,
    postgresql: `LATERAL (SELECT * FROM "Message" AS m WHERE ${isCopy} OFFSET 0) AS m`,
  });
  return sql`
    UPDATE "Message" SET ${CANCELLED} = (
      SELECT g."cancelledAt" FROM "GlobalMessage" AS g WHERE g."tenantId" = "Message"."tenantId" AND g."id" = "Message"."pushId")
    WHERE ${raw(PENDING)} AND ("tenantId", "pushId", "recipientKey") IN (
      SELECT m."tenantId", m."pushId", m."recipientKey" FROM "GlobalMessage" AS g CROSS JOIN ${raw(copies)}
      WHERE ${allOf(wanted)} LIMIT ${limit})`;
}
