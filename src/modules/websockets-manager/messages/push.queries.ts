import type { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { bulkInsert, jsonRows } from '../../../common/database/sql/bulk-insert.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { compiledOnce } from '../../../common/database/sql/compiled-once.js';
import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import type { MessageCancelReason, MessageStatus } from './message-states.js';
import type { GlobalPush } from '../models/push.js';

const WITH_TENANT = 'each push brings its tenant';

/** Message of a push, for one recipient. */
interface NewMessage {
  pushId: string;
  recipientKey: string;
  recipient: string | null;
  status: MessageStatus;
  cancelledAt: Date | null;
  cancelReason: MessageCancelReason | null;
}

/** Text of a push, common to its messages. */
interface PushText {
  tenantId: string;
  message: string;
  topic: string | null;
  expiresAt: Date | null;
}

/** Push to store, with one message per recipient. */
export interface NewPush extends PushText {
  messages: NewMessage[];
}

const PUSHES = jsonRows<PushText & { messages: string }>({
  tenantId: 'text',
  message: 'text',
  topic: 'text',
  expiresAt: 'time',
  messages: 'json',
});
const MESSAGES = bulkInsert<NewMessage>(
  'Message',
  { pushId: 'text', recipientKey: 'text', recipient: 'text', status: 'text', cancelledAt: 'time', cancelReason: 'text' },
  { tenantId: 'p."tenantId"', message: 'p."message"', topic: 'p."topic"', expiresAt: 'p."expiresAt"', isGlobal: 'false' },
);
const GLOBAL_MESSAGES = bulkInsert<PushText & { id: string }>('GlobalMessage', {
  tenantId: 'text',
  id: 'text',
  message: 'text',
  topic: 'text',
  expiresAt: 'time',
});

/** Reads the text of each push once, not once per recipient. */
const insertStatement = (dialect: Dialect, pushes: string): Sql => sql`
  WITH p AS MATERIALIZED (SELECT ${PUSHES.columns(dialect)} FROM ${PUSHES.table(dialect, sql`${pushes}`)})
  ${MESSAGES.insert(dialect)} FROM p, ${MESSAGES.table(dialect, raw('p."messages"'))} WHERE true`;

const compiledInsert = compiledOnce(insertStatement);

/** Inserts the messages of several pushes in one statement, whose one parameter contains the text of each push once. */
export async function insertMessages(database: Database, pushes: NewPush[]): Promise<void> {
  await database.acrossTenants(WITH_TENANT).$query(compiledInsert(database.dialect, asJson(database.dialect, pushes)));
}

/** Builds the statement of `insertMessages` for a larger transaction. */
export const insertMessagesStatement = (dialect: Dialect, pushes: NewPush[]): Sql =>
  insertStatement(dialect, asJson(dialect, pushes));

function asJson(dialect: Dialect, pushes: NewPush[]): string {
  const elements = pushes.map((push) => {
    const messages = push.messages.map((message) => MESSAGES.element(dialect, message));
    return PUSHES.element(dialect, { ...push, messages: `[${messages.join()}]` });
  });
  return `[${elements.join()}]`;
}

/** Inserts global messages, optionally within a transaction. */
export async function insertGlobalMessages(
  dialect: Dialect,
  database: Pick<Database | TenantTransaction, 'acrossTenants'>,
  pushes: GlobalPush[],
): Promise<void> {
  const elements = pushes.map(({ tenantId, id, message, topic, expiresAt }) => {
    const row = { tenantId, id, message, topic, expiresAt: expiresAt === null ? null : new Date(expiresAt) };
    return GLOBAL_MESSAGES.element(dialect, row);
  });
  const rows = GLOBAL_MESSAGES.table(dialect, sql`${`[${elements.join()}]`}`);
  await database.acrossTenants(WITH_TENANT).$executeRaw(sql`${GLOBAL_MESSAGES.insert(dialect)} FROM ${rows} WHERE true`);
}
