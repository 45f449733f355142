import type { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { compiledOnce } from '../../../common/database/sql/compiled-once.js';
import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import type { MessageCancelReason, MessageStatus } from '../models/message-states.js';
import type { GlobalPush } from '../models/push.js';

const WITH_TENANT = 'each push brings its tenant';

/** A push to store, with a message for each recipient. Times in milliseconds. */
export interface NewPush {
  tenantId: string;
  message: string;
  topic: string | null;
  expiresAt: number | null;
  recipients: {
    id: string;
    key: string;
    name: string | null;
    status: MessageStatus;
    cancelledAt: number | null;
    reason: MessageCancelReason | null;
  }[];
}

const COLUMNS = raw(
  '"tenantId","pushId","recipientKey","recipient","message","topic","status","expiresAt","cancelledAt","cancelReason","isGlobal"',
);
const GLOBAL_COLUMNS = raw('"tenantId","id","message","topic","expiresAt"');

/** Reads the text of each push once, not once for each recipient. */
const insertStatement = (dialect: Dialect, pushes: string): Sql => sql`
  WITH p AS MATERIALIZED (
    SELECT value ->> 0 AS "tenantId", value ->> 1 AS "message", value ->> 2 AS "topic",
      ${raw(dialect.timeOf('value ->> 3'))} AS "expiresAt", value -> 4 AS "rows"
    FROM ${dialect.elements(sql`${pushes}`, 'j')})
  INSERT INTO "Message" (${COLUMNS})
  SELECT p."tenantId", r.value ->> 0, r.value ->> 1, r.value ->> 2, p."message", p."topic", r.value ->> 3, p."expiresAt",
    ${raw(dialect.timeOf('r.value ->> 4'))}, r.value ->> 5, false
  FROM p, ${dialect.elements('p."rows"', 'r')} WHERE true`;

const compiledInsert = compiledOnce(insertStatement);

/** Stores the messages of several pushes in one statement. Its one parameter holds the text of each push once. */
export async function insertMessages(database: Database, pushes: NewPush[]): Promise<void> {
  await database.acrossTenants(WITH_TENANT).$query(compiledInsert(database.dialect, asJson(pushes)));
}

/** Does the same in a transaction of the caller. */
export async function insertMessagesWithin(transaction: TenantTransaction, dialect: Dialect, pushes: NewPush[]): Promise<void> {
  await transaction.acrossTenants(WITH_TENANT).$executeRaw(insertStatement(dialect, asJson(pushes)));
}

function asJson(pushes: NewPush[]): string {
  const json = pushes.map(({ tenantId, message, topic, expiresAt, recipients }) => [
    tenantId,
    message,
    topic,
    expiresAt,
    recipients.map(({ id, key, name, status, cancelledAt, reason }) => [id, key, name, status, cancelledAt, reason]),
  ]);
  return JSON.stringify(json);
}

/** Stores global messages, in a transaction too. */
export async function insertGlobalMessages(
  dialect: Dialect,
  database: Pick<Database | TenantTransaction, 'acrossTenants'>,
  pushes: GlobalPush[],
): Promise<void> {
  const json = pushes.map(({ tenantId, id, message, topic, expiresAt }) => [tenantId, id, message, topic, expiresAt]);
  await database.acrossTenants(WITH_TENANT).$executeRaw(sql`
    INSERT INTO "GlobalMessage" (${GLOBAL_COLUMNS})
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, ${raw(dialect.timeOf('value ->> 4'))}
    FROM ${dialect.elements(sql`${JSON.stringify(json)}`, 'j')} WHERE true`);
}
