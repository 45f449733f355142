import type { Statements } from '../../../common/database/database.js';
import { jsonRows } from '../../../common/database/sql/bulk-insert.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import type { MessageStatus } from './message-states.js';
import { MESSAGE, type MessageKey, type MessageRow } from './message-row.js';

/** Message written by a statement. */
export interface WrittenMessage extends MessageKey {
  status: MessageStatus;
  /** Size of its text; null for a copy, which has none. */
  bytes: number | bigint | null;
}

/** Message with its tenant. */
export interface TenantMessage extends MessageRow {
  tenantId: string;
}

const KEYS = jsonRows<MessageKey>(MESSAGE.pick('tenantId', 'pushId', 'recipientKey').kinds);
const COLUMNS = raw(MESSAGE.without('message', 'sentAt').names.map((name) => `m."${name}"`).join()); // prettier-ignore
const TEXT_OF_GLOBAL =
  '(SELECT g."message" FROM "GlobalMessage" AS g WHERE m."isGlobal" AND g."tenantId" = m."tenantId" AND g."id" = m."pushId")';
const RETURNING = raw(
  `RETURNING "Message"."tenantId", "Message"."pushId", "Message"."recipientKey", "Message"."status", ` +
    'octet_length("Message"."message") AS "bytes"',
);

/** Extends a writing statement to return WrittenMessages. */
export const returning = (statement: Sql): Sql => sql`${statement} ${RETURNING}`;

/** Reads messages by key. A copy has the text of its global message. Exported for a query plan test. */
export function messagesStatement(dialect: Dialect, keys: MessageKey[]): Sql {
  const rows = keys.map(({ tenantId, pushId, recipientKey }) => KEYS.element(dialect, { tenantId, pushId, recipientKey }));
  const isWanted = 'm."tenantId" = k."tenantId" AND m."pushId" = k."pushId" AND m."recipientKey" = k."recipientKey"';
  // Fixes the join order on both databases.
  const wanted = dialect.pick({
    sqlite: `"Message" AS m ON ${isWanted}`,
    postgresql: `LATERAL (SELECT * FROM "Message" AS m WHERE ${isWanted} OFFSET 0) AS m`,
  });
  return sql`
    WITH k AS MATERIALIZED (SELECT ${KEYS.columns(dialect)} FROM ${KEYS.table(dialect, sql`${`[${rows.join()}]`}`)})
    SELECT ${COLUMNS}, coalesce(m."message", ${raw(TEXT_OF_GLOBAL)}) AS "message" FROM k CROSS JOIN ${raw(wanted)}`;
}

export async function messagesByKeys(transaction: Statements, dialect: Dialect, keys: MessageKey[]): Promise<TenantMessage[]> {
  const rows = await transaction.$queryRaw<TenantMessage[]>(messagesStatement(dialect, keys));
  return rows.map((row) => ({ ...row, isGlobal: Boolean(row.isGlobal), inbox: Boolean(row.inbox) }));
}
