import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { type MessageCancelReason, MessageStatus } from '../models/message-states.js';

const IN_GROUPS = 'the changes of several tenants are stored in one statement, each with its tenant';

/** A change of status that several messages of one push have in common. Times in milliseconds. */
export interface StatusChange {
  tenantId: string;
  pushId: string;
  topic: string | null;
  expiresAt: number | null;
  /** PENDING means that a frame was written. */
  status: MessageStatus;
  /** Null unless the status is CANCELLED. */
  reason: MessageCancelReason | null;
  /** A JSON object with the time of the change for each recipient's key. */
  times: string;
}

/** A recipient of a global message whose name is too long for its key. */
export interface LongName {
  tenantId: string;
  pushId: string;
  key: string;
  name: string;
}

/** Makes a row for each recipient of each change. */
function rows(dialect: Dialect, changes: StatusChange[]): Sql {
  const names = ['tenantId', 'pushId', 'topic', 'expiresAt', 'status', 'cancelReason'];
  const columns = names.map((name, index) => `value ->> ${index} AS "${name}"`).join();
  const each = dialect.pick({ sqlite: 'json_each', postgresql: 'json_each_text' });
  const when = (status: MessageStatus) => `CASE p."status" WHEN '${status}' THEN ${dialect.timeOf('r."value"')} END`;
  // The changes are materialized, so that each is read once instead of once per recipient.
  return sql`
    WITH p AS MATERIALIZED (SELECT ${raw(columns)}, value -> ${raw(String(names.length))} AS "times" FROM ${dialect.elements(sql`${json(changes)}`, 'j')}),
    c AS (
      SELECT p."tenantId", p."pushId", r."key" AS "recipientKey", p."topic", p."status", p."cancelReason",
        ${raw(dialect.timeOf('p."expiresAt"'))} AS "expiresAt",
        CASE WHEN p."expiresAt" IS NOT NULL THEN ${raw(dialect.timeOf('r."value"'))} END AS "sentAt",
        ${raw(when(MessageStatus.DELIVERED))} AS "deliveredAt", ${raw(when(MessageStatus.CANCELLED))} AS "cancelledAt"
      FROM p, ${raw(each)}(p."times") AS r)`;
}

const PENDING = raw(`'${MessageStatus.PENDING}'`);

/** Changes only PENDING messages: see message-states.ts. */
export async function updateMessages(database: Database, changes: StatusChange[]): Promise<void> {
  await database.acrossTenants(IN_GROUPS).$cells(sql`
    ${rows(database.dialect, changes)}
    UPDATE "Message" SET "status" = c."status", "sentAt" = coalesce("Message"."sentAt", c."sentAt"),
      "deliveredAt" = c."deliveredAt", "cancelledAt" = c."cancelledAt", "cancelReason" = c."cancelReason"
    FROM c
    WHERE "Message"."tenantId" = c."tenantId" AND "Message"."pushId" = c."pushId" AND "Message"."recipientKey" = c."recipientKey"
      AND "Message"."status" = ${PENDING}`);
}

/** Records the copies of global messages, one for each recipient, even if several nodes report the same copy. */
export async function recordCopies(database: Database, changes: StatusChange[], longNames: LongName[]): Promise<void> {
  const columns = raw(
    '"tenantId","pushId","recipientKey","topic","status","expiresAt","sentAt","deliveredAt","cancelledAt","cancelReason"',
  );
  await database.acrossTenants(IN_GROUPS).$cells(sql`
    ${rows(database.dialect, changes)}
    INSERT INTO "Message" (${columns},"isGlobal") SELECT ${columns},true FROM c WHERE true
    ON CONFLICT ("tenantId", "pushId", "recipientKey")
    DO UPDATE SET "status" = excluded."status", "deliveredAt" = excluded."deliveredAt",
      "cancelledAt" = excluded."cancelledAt", "cancelReason" = excluded."cancelReason"
    WHERE "Message"."status" = ${PENDING} AND excluded."status" <> ${PENDING}`);
  for (const { tenantId, pushId, key, name } of longNames) {
    await database.of(tenantId).message.updateMany({ where: { pushId, recipientKey: key }, data: { recipient: name } });
  }
}

function json(changes: StatusChange[]): string {
  const parts = changes.map(({ tenantId, pushId, topic, expiresAt, status, reason, times }) => {
    const shared = JSON.stringify([tenantId, pushId, topic, expiresAt, status, reason]);
    return `${shared.slice(0, -1)},${times}]`;
  });
  return `[${parts.join()}]`;
}
