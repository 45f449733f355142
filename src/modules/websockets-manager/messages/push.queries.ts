import type { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { bulkInsert, jsonRows } from '../../../common/database/sql/bulk-insert.js';
import type { RowOf } from '../../../common/database/sql/columns.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { compiledOnce } from '../../../common/database/sql/compiled-once.js';
import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { GLOBAL_MESSAGE, MESSAGE } from './message-row.js';
import type { GlobalPush } from '../models/push.js';

const WITH_TENANT = 'each push brings its tenant';

const NEW_MESSAGE = MESSAGE.pick('pushId', 'recipientKey', 'recipient', 'status', 'cancelledAt', 'cancelReason');
/** Text of a push, which its messages have in common. */
const TEXT = MESSAGE.pick('tenantId', 'message', 'topic', 'expiresAt', 'inbox');

/** Push to store, with one message per recipient. */
export type NewPush = RowOf<typeof TEXT> & { messages: RowOf<typeof NEW_MESSAGE>[] };

const PUSHES = jsonRows<RowOf<typeof TEXT> & { messages: string }>({ ...TEXT.kinds, messages: 'json' });
const MESSAGES = bulkInsert(NEW_MESSAGE, {
  ...Object.fromEntries(TEXT.names.map((name) => [name, `p."${name}"`])),
  isGlobal: 'false',
});
const GLOBAL_MESSAGES = bulkInsert(GLOBAL_MESSAGE.without('cancelledAt'));

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
