import type { Database } from '../../../common/database/database.js';
import { mapper } from '../../../common/database/sql/columns.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import type { SizedStatement } from '../../../common/database/sql/sized-rows.js';
import { empty, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { MessageStatus } from '../models/message-states.js';
import { type RecipientKey, recipientOf } from '../models/recipient-key.js';

/** A message that waits for a recipient; a global one has the id of the global message. */
export interface BacklogMessage {
  id: string;
  global: boolean;
  message: string;
  topic: string | null;
  expiresAt: number | null;
}

export interface BacklogQuery {
  tenantId: string;
  recipientKey: string;
  /** The topic of the connection, which receives messages with this topic or none. */
  topic: string | null;
  /** Only later ids. */
  after: string;
  /** The id from which to include messages that cannot wait; usually none are included. */
  fleetingFrom: string | undefined;
  limit: number;
}

/** Indexes that SQLite must be told to use: primary keys begin with the tenant, so it would read all its messages. */
const WAITING = 'Message_waiting_idx';
const EXPIRING = 'GlobalMessage_waiting_idx';
const IS_PENDING = raw(`= '${MessageStatus.PENDING}'`);

const OF_CONNECTIONS = 'a node asks for its connections of every tenant, each with its tenant';

/** `json` has the tenant, the recipient's key, the time and the index of each. Exported so that a test can explain it. */
export const hasBacklogStatement = (dialect: Dialect, json: string): Sql => sql`
  WITH w AS MATERIALIZED (
    SELECT value ->> 0 AS "tenantId", value ->> 1 AS "recipientKey",
      ${raw(dialect.timeOf('value ->> 2'))} AS "now", value ->> 3 AS "index"
    FROM ${dialect.elements(sql`${json}`, 'j')})
  SELECT w."index" FROM w
  WHERE EXISTS (
      SELECT 1 FROM "Message" AS m ${dialect.indexedBy(WAITING)}
      WHERE m."tenantId" = w."tenantId" AND m."recipientKey" = w."recipientKey"
        AND m."status" ${IS_PENDING} AND NOT m."isGlobal" AND m."expiresAt" > w."now")
    OR EXISTS (SELECT 1 FROM "GlobalMessage" AS g WHERE g."tenantId" = w."tenantId" AND g."expiresAt" > w."now" AND g."cancelledAt" IS NULL)`;

/** Returns for each recipient whether messages may wait for it, of any topic. */
export async function hasBacklog(database: Database, recipients: readonly RecipientKey[]): Promise<boolean[]> {
  const now = Date.now();
  const json = recipients.map(({ tenantId, recipientKey }, index) => [tenantId, recipientKey, now, index]);
  const rows = await database.acrossTenants(OF_CONNECTIONS).$cells(hasBacklogStatement(database.dialect, JSON.stringify(json)));
  const found = new Set(rows.map(([index]) => Number(index)));
  return recipients.map((_, index) => found.has(index));
}

/** Ids of messages by their time of creation. */
export interface IdWindow {
  from: string;
  below: string;
}

/** How many waiting messages one statement names. */
const MAX_NAMED = 10_000;
const OF_TENANTS = 'Message_tenantId_status_idx';

/** `json` has the tenants. Exported so that a test can explain it. SQLite takes a partial index by its own condition only. */
export const recipientsStatement = (dialect: Dialect, json: string, { from, below }: IdWindow): Sql => {
  const now = dialect.time(new Date());
  const own = sql`"Message" AS m ${dialect.indexedBy(OF_TENANTS)}
    WHERE m."tenantId" = w."tenantId" AND m."status" ${IS_PENDING} AND m."status" <> 'DELIVERED'
      AND m."pushId" >= ${from} AND m."pushId" < ${below} AND NOT m."isGlobal" AND m."expiresAt" > ${now}`;
  const joined = dialect.pick({ sqlite: own, postgresql: sql`LATERAL (SELECT * FROM ${own} OFFSET 0) AS m` });
  return sql`
  WITH w AS MATERIALIZED (SELECT value ->> 0 AS "tenantId" FROM ${dialect.elements(sql`${json}`, 'j')})
  SELECT w."tenantId", NULL AS "key", NULL AS "name" FROM w WHERE EXISTS (
    SELECT 1 FROM "GlobalMessage" AS g WHERE g."tenantId" = w."tenantId"
      AND g."id" >= ${from} AND g."id" < ${below} AND g."expiresAt" > ${now} AND g."cancelledAt" IS NULL)
  UNION ALL
  SELECT w."tenantId", m."recipientKey", m."recipient" FROM w CROSS JOIN ${joined}
  LIMIT ${MAX_NAMED + 1}`;
};

/**
 * Returns by tenant the recipients for whom messages of the window wait, sent or not: all of a tenant with a global message, and all
 * of all tenants where more messages wait than one statement names.
 */
export async function recipientsWithWaiting(
  database: Database,
  tenantIds: string[],
  window: IdWindow,
): Promise<Map<string, Set<string> | 'all'>> {
  const statement = recipientsStatement(database.dialect, JSON.stringify(tenantIds.map((id) => [id])), window);
  const rows = await database.acrossTenants(OF_CONNECTIONS).$cells(statement);
  if (rows.length > MAX_NAMED) return new Map(tenantIds.map((tenantId) => [tenantId, 'all']));
  const found = new Map<string, Set<string> | 'all'>();
  for (const [tenant, key, name] of rows as [string, string | null, string | null][]) {
    const there = found.get(tenant);
    if (key === null) found.set(tenant, 'all');
    else if (there === undefined) found.set(tenant, new Set([recipientOf(key, name)]));
    else if (there !== 'all') there.add(recipientOf(key, name));
  }
  return found;
}

/** A connection as it is looked for: what has its topic or none is for it. */
export type Waiting = RecipientKey & { topic: string | null };

/** `json` has the tenant, the recipient's key, the topic and the index of each. Exported so that a test can explain it. */
export const waitingStatement = (dialect: Dialect, json: string, { from, below }: IdWindow): Sql => {
  const now = dialect.time(new Date());
  const isFor = (table: string): Sql => raw(`(${table}."topic" IS NULL OR ${table}."topic" = w."topic")`);
  const own = sql`"Message" AS m ${dialect.indexedBy(WAITING)}
    WHERE m."tenantId" = w."tenantId" AND m."recipientKey" = w."recipientKey" AND m."pushId" >= ${from} AND m."pushId" < ${below}
      AND m."status" ${IS_PENDING} AND NOT m."isGlobal" AND m."expiresAt" > ${now} AND ${isFor('m')}`;
  // Both planners keep this join as written: a look-up in the index for each connection.
  const joined = dialect.pick({ sqlite: own, postgresql: sql`LATERAL (SELECT m."pushId" FROM ${own} OFFSET 0) AS m` });
  return sql`
  WITH w AS MATERIALIZED (
    SELECT value ->> 0 AS "tenantId", value ->> 1 AS "recipientKey", value ->> 2 AS "topic", value ->> 3 AS "index"
    FROM ${dialect.elements(sql`${json}`, 'j')})
  SELECT w."index", m."pushId" FROM w CROSS JOIN ${joined}
  UNION ALL
  SELECT w."index", g."id" FROM w CROSS JOIN "GlobalMessage" AS g
  WHERE g."tenantId" = w."tenantId" AND g."id" >= ${from} AND g."id" < ${below} AND g."expiresAt" > ${now}
    AND g."cancelledAt" IS NULL AND ${isFor('g')} AND NOT EXISTS (
      SELECT 1 FROM "Message" AS r WHERE r."tenantId" = g."tenantId" AND r."pushId" = g."id"
        AND r."recipientKey" = w."recipientKey" AND r."status" <> ${raw(`'${MessageStatus.PENDING}'`)})
  LIMIT ${MAX_NAMED}`; // the others are named by the next look
};

/** Returns the ids of the messages in the window that wait for the recipients of connections, with the connection of each. */
export async function waitingFor<T extends Waiting>(
  database: Database,
  wanted: readonly T[],
  window: IdWindow,
): Promise<{ id: string; of: T }[]> {
  const json = wanted.map(({ tenantId, recipientKey, topic }, index) => [tenantId, recipientKey, topic, index]);
  const rows = await database
    .acrossTenants(OF_CONNECTIONS)
    .$cells(waitingStatement(database.dialect, JSON.stringify(json), window));
  return rows.map(([index, id]) => ({ id: String(id), of: wanted[Number(index)]! }));
}

/** How many bytes of messages are read at once. */
const READ_BYTES = 1024 * 1024;

/** Reads waiting messages in the order of their creation, and tells whether there may be more. */
export async function backlogPage(
  database: Database,
  query: BacklogQuery,
): Promise<{ messages: BacklogMessage[]; more: boolean }> {
  const { rows, bytes } = await database.of(query.tenantId).$cellsUpTo(backlogStatement(database.dialect, query), READ_BYTES);
  return { messages: rows.map(BACKLOG_MESSAGE.row), more: rows.length === query.limit || bytes > READ_BYTES };
}

const BACKLOG_MESSAGE = mapper<BacklogMessage>({
  id: 'as it is',
  global: 'boolean',
  message: 'as it is',
  topic: 'as it is',
  expiresAt: 'number',
});

/** Exported so that a test can explain it. */
export function backlogStatement(
  dialect: Dialect,
  { tenantId, recipientKey, topic, after, fleetingFrom, limit }: BacklogQuery,
): SizedStatement {
  const now = dialect.time(new Date());
  const wanted = (table: string, id: Sql): Sql => {
    const [ofTopic, expiresAt] = [raw(`${table}."topic"`), raw(`${table}."expiresAt"`)];
    const fleeting = fleetingFrom === undefined ? empty : sql`OR ${expiresAt} IS NULL AND ${id} >= ${fleetingFrom}`;
    return sql`${raw(table)}."tenantId" = ${tenantId} AND ${id} > ${after}
      AND (${ofTopic} IS NULL ${topic === null ? empty : sql`OR ${ofTopic} = ${topic}`})
      AND (${expiresAt} > ${now} ${fleeting})`;
  };
  const columns = (table: string, id: string, global: number): Sql =>
    raw(`${id} AS "id", ${global} AS "global", ${table}."message", ${table}."topic", ${table}."expiresAt"`);
  const own = sql`
    SELECT ${columns('m', 'm."pushId"', 0)} FROM "Message" AS m ${dialect.indexedBy(WAITING)}
    WHERE ${wanted('m', raw('m."pushId"'))} AND m."recipientKey" = ${recipientKey}
      AND m."status" ${IS_PENDING} AND NOT m."isGlobal"`;
  const global = sql`
    SELECT ${columns('g', 'g."id"', 1)} FROM "GlobalMessage" AS g
    ${fleetingFrom === undefined ? dialect.indexedBy(EXPIRING) : empty} WHERE ${wanted('g', raw('g."id"'))} AND g."cancelledAt" IS NULL AND NOT EXISTS (
      SELECT 1 FROM "Message" AS r WHERE r."tenantId" = g."tenantId" AND r."pushId" = g."id" AND r."recipientKey" = ${recipientKey}
        AND r."status" <> ${raw(`'${MessageStatus.PENDING}'`)})`;
  const shown = BACKLOG_MESSAGE.columns(dialect, '"waiting"', { expiresAt: dialect.milliseconds('"waiting"."expiresAt"') });
  const statement = sql`SELECT ${raw(shown)} FROM (${own} UNION ALL ${global}) AS "waiting" ORDER BY "id" LIMIT ${limit}`;
  return { statement, wanted: 'rows' };
}
