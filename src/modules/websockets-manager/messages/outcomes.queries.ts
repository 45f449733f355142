import type { AllTenantsTransaction } from '../../../common/database/database.js';
import { jsonRows } from '../../../common/database/sql/bulk-insert.js';
import type { RowOf } from '../../../common/database/sql/columns.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { MESSAGE } from './message-row.js';
import { MessageStatus } from './message-states.js';

/** A change of status that several messages of one push have in common. PENDING means that a frame was written. */
export interface StatusChange extends RowOf<typeof CHANGED> {
  /** JSON object that maps recipient keys to the time of the change in milliseconds. */
  times: string;
}

const CHANGED = MESSAGE.pick('tenantId', 'pushId', 'topic', 'expiresAt', 'status', 'cancelReason');
const CHANGES = jsonRows<StatusChange>({ ...CHANGED.kinds, times: 'json' });

/** Recipient of a global message with a name too long for a key. */
export interface LongName {
  tenantId: string;
  pushId: string;
  key: string;
  name: string;
}

/** Expands changes to one row per recipient. */
function rows(dialect: Dialect, changes: StatusChange[]): Sql {
  const list = `[${changes.map((change) => CHANGES.element(dialect, change)).join()}]`;
  const each = dialect.pick({ sqlite: 'json_each', postgresql: 'json_each_text' });
  const when = (status: MessageStatus) => `CASE p."status" WHEN '${status}' THEN ${dialect.timeOf('r."value"')} END`;
  // Materialized, to parse each change once rather than once per recipient.
  return sql`
    WITH p AS MATERIALIZED (SELECT ${CHANGES.columns(dialect)} FROM ${CHANGES.table(dialect, sql`${list}`)}),
    c AS (
      SELECT p."tenantId", p."pushId", r."key" AS "recipientKey", p."topic", p."status", p."cancelReason", p."expiresAt",
        CASE WHEN p."expiresAt" IS NOT NULL THEN ${raw(dialect.timeOf('r."value"'))} END AS "sentAt",
        ${raw(when(MessageStatus.DELIVERED))} AS "deliveredAt", ${raw(when(MessageStatus.CANCELLED))} AS "cancelledAt"
      FROM p, ${raw(each)}(p."times") AS r)`;
}

const PENDING = raw(`'${MessageStatus.PENDING}'`);

/** Updates PENDING messages; see message-states.ts. */
export const outcomesStatement = (dialect: Dialect, changes: StatusChange[]): Sql => sql`
  ${rows(dialect, changes)}
  UPDATE "Message" SET "status" = c."status", "sentAt" = coalesce("Message"."sentAt", c."sentAt"),
    "deliveredAt" = c."deliveredAt", "cancelledAt" = c."cancelledAt", "cancelReason" = c."cancelReason"
  FROM c
  WHERE "Message"."tenantId" = c."tenantId" AND "Message"."pushId" = c."pushId" AND "Message"."recipientKey" = c."recipientKey"
    AND "Message"."status" = ${PENDING}`;

const COPY = raw(MESSAGE.pick(
    'tenantId', 'pushId', 'recipientKey', 'topic', 'status', 'expiresAt', 'sentAt', 'deliveredAt', 'cancelledAt', 'cancelReason',
  ).names.map((name) => `"${name}"`).join()); // prettier-ignore

/** Inserts copies of global messages, one per recipient, even if several nodes report the same one. */
export const copiesStatement = (dialect: Dialect, changes: StatusChange[]): Sql => sql`
  ${rows(dialect, changes)}
  INSERT INTO "Message" (${COPY},"isGlobal") SELECT ${COPY},true FROM c WHERE true
  ON CONFLICT ("tenantId", "pushId", "recipientKey")
  DO UPDATE SET "status" = excluded."status", "deliveredAt" = excluded."deliveredAt",
    "cancelledAt" = excluded."cancelledAt", "cancelReason" = excluded."cancelReason"
  WHERE "Message"."status" = ${PENDING} AND excluded."status" <> ${PENDING}`;

/** Stores long names beside the keys of copies. */
export async function nameCopies({ message }: Pick<AllTenantsTransaction, 'message'>, names: LongName[]): Promise<void> {
  for (const { tenantId, pushId, key: recipientKey, name: recipient } of names) {
    await message.updateMany({ where: { tenantId, pushId, recipientKey }, data: { recipient } });
  }
}
