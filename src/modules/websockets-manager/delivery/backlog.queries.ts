import type { Database } from '../../../common/database/database.js';
import { Columns, mapper } from '../../../common/database/sql/columns.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import type { SizedStatement } from '../../../common/database/sql/sized-rows.js';
import { empty, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { MessageStatus } from '../messages/message-states.js';
import { type RecipientKey, recipientOf } from '../models/recipient-key.js';
import { isPattern, prefixOf, type Topics } from '../models/topics.js';

/** Message queued for a recipient. `id` is that of the message or the global message. */
export interface BacklogMessage {
  id: string;
  global: boolean;
  message: string;
  topic: string | null;
  expiresAt: number | null;
  inbox: boolean;
}

/** Writes topics and patterns as JSON for `isForTopics`: a topic as its text, a pattern as null and the beginning of its topics. */
export const asJson = ({ topic, topics = [] }: Topics): (string | null)[][] => [
  ...(topic === null ? [] : [[topic]]),
  ...topics.map((one) => (isPattern(one) ? [null, prefixOf(one)] : [one])),
];

/** Condition for a message without a topic, or with one that JSON topics contain. */
export function isForTopics(dialect: Dialect, table: string, json: Sql): Sql {
  const topic = raw(`${table}."topic"`);
  return sql`(${topic} IS NULL OR EXISTS (
    SELECT 1 FROM ${dialect.elements(json, 's')}
    WHERE s.value ->> 0 = ${topic} OR s.value ->> 1 = substr(${topic}, 1, length(s.value ->> 1))))`;
}

export interface BacklogQuery {
  tenantId: string;
  recipientKey: string;
  /** Topics of the connection. Selects messages with these topics or without one. */
  topics: Topics;
  /** Lower bound of ids, exclusive. */
  after: string;
  /** First id from which to include messages that cannot wait; undefined excludes them. */
  fleetingFrom: string | undefined;
  limit: number;
}

/** Index to force on SQLite, which would otherwise scan all messages of the tenant by the primary key. */
const WAITING = 'Message_waiting_idx';
const EXPIRING = 'GlobalMessage_waiting_idx';
/**
 * Expiry of a message, for conditions that PostgreSQL must not answer by the index of messages that expire. The index of a recipient is as
 * short as its backlog, but statistics know too little of a new tenant to tell.
 */
const expiryOf = (dialect: Dialect): Sql =>
  raw(dialect.pick({ sqlite: 'm."expiresAt"', postgresql: `COALESCE(m."expiresAt", '-infinity')` }));
const IS_PENDING = raw(`= '${MessageStatus.PENDING}'`);

/**
 * Condition for a global message of a table that was not delivered to a recipient. One index lookup for each message: PostgreSQL would
 * else join by a hash of all messages of the tenant.
 */
const isUnsettled = (dialect: Dialect, table: string, recipientKey: Sql): Sql => sql`NOT EXISTS (
    SELECT 1 FROM "Message" AS r
    WHERE r."tenantId" = ${raw(table)}."tenantId" AND r."pushId" = ${raw(table)}."id" AND r."recipientKey" = ${recipientKey}
      AND r."status" <> ${raw(`'${MessageStatus.PENDING}'`)} ${raw(dialect.pick({ sqlite: '', postgresql: 'OFFSET 0' }))})`;

/** Global messages that are compared with those of a recipient. With more, a recipient counts as having a backlog. */
const MAX_COMPARED = 32;
const OF_CONNECTIONS = 'a node asks for its connections of every tenant, each with its tenant';

/**
 * Finds recipients with queued messages. `json` lists tenant, recipient key, time and index of each recipient. Exported for a query plan
 * test.
 */
export const hasBacklogStatement = (dialect: Dialect, json: string): Sql => {
  const globals = sql`SELECT g."tenantId", g."id" FROM "GlobalMessage" AS g
    WHERE g."tenantId" = w."tenantId" AND g."expiresAt" > w."now" AND g."cancelledAt" IS NULL`;
  return sql`
  WITH w AS MATERIALIZED (
    SELECT value ->> 0 AS "tenantId", value ->> 1 AS "recipientKey",
      ${raw(dialect.timeOf('value ->> 2'))} AS "now", value ->> 3 AS "index"
    FROM ${dialect.elements(sql`${json}`, 'j')})
  SELECT w."index" FROM w
  WHERE EXISTS (
      SELECT 1 FROM "Message" AS m ${dialect.indexedBy(WAITING)}
      WHERE m."tenantId" = w."tenantId" AND m."recipientKey" = w."recipientKey"
        AND m."status" ${IS_PENDING} AND NOT m."isGlobal" AND ${expiryOf(dialect)} > w."now")
    OR EXISTS (SELECT 1 FROM (${globals} LIMIT ${MAX_COMPARED}) AS few WHERE ${isUnsettled(dialect, 'few', raw('w."recipientKey"'))})
    OR EXISTS (${globals} LIMIT 1 OFFSET ${MAX_COMPARED})`;
};

/** Returns true for each recipient that has queued messages of any topic, or may have, as there are many global ones. */
export async function hasBacklog(database: Database, recipients: readonly RecipientKey[]): Promise<boolean[]> {
  const now = Date.now();
  const json = recipients.map(({ tenantId, recipientKey }, index) => [tenantId, recipientKey, now, index]);
  const rows = await database.acrossTenants(OF_CONNECTIONS).$cells(hasBacklogStatement(database.dialect, JSON.stringify(json)));
  const found = new Set(rows.map(([index]) => Number(index)));
  return recipients.map((_, index) => found.has(index));
}

/** Range of message ids, equivalent to a range of creation times. */
export interface IdWindow {
  from: string;
  below: string;
}

/** Maximum queued messages returned per statement. */
const MAX_NAMED = 10_000;
const OF_TENANTS = 'Message_tenantId_status_idx';

/** Finds the queued messages of a window: global ones, and the recipients of others. `json` lists the tenants. Exported for a query plan test. */
export const queuedStatement = (dialect: Dialect, json: string, { from, below }: IdWindow): Sql => {
  const now = dialect.time(new Date());
  const own = sql`"Message" AS m ${dialect.indexedBy(OF_TENANTS)}
    WHERE m."tenantId" = w."tenantId" AND m."status" ${IS_PENDING}
      AND m."pushId" >= ${from} AND m."pushId" < ${below} AND NOT m."isGlobal" AND m."expiresAt" > ${now}`;
  const joined = dialect.pick({ sqlite: own, postgresql: sql`LATERAL (SELECT * FROM ${own} OFFSET 0) AS m` });
  return sql`
  WITH w AS MATERIALIZED (SELECT value ->> 0 AS "tenantId" FROM ${dialect.elements(sql`${json}`, 'j')})
  SELECT w."tenantId", g."id" AS "global", NULL AS "key", NULL AS "name" FROM w CROSS JOIN "GlobalMessage" AS g
  WHERE g."tenantId" = w."tenantId" AND g."id" >= ${from} AND g."id" < ${below} AND g."expiresAt" > ${now} AND g."cancelledAt" IS NULL
  UNION ALL
  SELECT w."tenantId", NULL, m."recipientKey", m."recipient" FROM w CROSS JOIN ${joined}
  LIMIT ${MAX_NAMED + 1}`;
};

/** Queued messages of a tenant in a window, sent or not. */
export interface Queued {
  /** Recipients of messages that are not global. */
  recipients: Set<string> | 'all';
  /** Ids of global messages; undefined if there are too many to name. */
  globals: string[] | undefined;
}

/** Returns the queued messages of a window by tenant. If the statement reaches its limit, none are named. */
export async function queuedOf(database: Database, tenantIds: string[], window: IdWindow): Promise<Map<string, Queued>> {
  const statement = queuedStatement(database.dialect, JSON.stringify(tenantIds.map((id) => [id])), window);
  const rows = await database.acrossTenants(OF_CONNECTIONS).$cells(statement);
  if (rows.length > MAX_NAMED) return new Map(tenantIds.map((id) => [id, { recipients: 'all', globals: undefined }]));
  const found = new Map<string, { recipients: Set<string>; globals: string[] }>();
  for (const [tenant, global, key, name] of rows as [string, string | null, string, string | null][]) {
    if (!found.has(tenant)) found.set(tenant, { recipients: new Set(), globals: [] });
    const { recipients, globals } = found.get(tenant)!;
    if (global === null) recipients.add(recipientOf(key, name));
    else globals.push(global);
  }
  return found;
}

/** Connection to find queued messages for. */
export type Waiting = RecipientKey & { topics: Topics };

/** Messages to find: those of a window, of global ones only these if they are named. */
export interface WaitingQuery {
  window: IdWindow;
  globals: string[] | undefined;
}

/**
 * Finds the queued messages of connections. `json` lists tenant, recipient key, topics and index of each. Exported for a query plan test.
 */
export const waitingStatement = (dialect: Dialect, json: string, { window: { from, below }, globals }: WaitingQuery): Sql => {
  const now = dialect.time(new Date());
  const isFor = (table: string): Sql => isForTopics(dialect, table, raw('w."topics"'));
  const own = sql`"Message" AS m ${dialect.indexedBy(WAITING)}
    WHERE m."tenantId" = w."tenantId" AND m."recipientKey" = w."recipientKey" AND m."pushId" >= ${from} AND m."pushId" < ${below}
      AND m."status" ${IS_PENDING} AND NOT m."isGlobal" AND ${expiryOf(dialect)} > ${now} AND ${isFor('m')}`;
  // Fixes the join order on both databases: one index lookup per connection.
  const joined = dialect.pick({ sqlite: own, postgresql: sql`LATERAL (SELECT m."pushId" FROM ${own} OFFSET 0) AS m` });
  const ids = globals && JSON.stringify(globals.map((id) => [id]));
  const named = ids === undefined ? empty : sql`AND g."id" IN (SELECT value ->> 0 FROM ${dialect.elements(sql`${ids}`, 'i')})`;
  return sql`
  WITH w AS MATERIALIZED (
    SELECT value ->> 0 AS "tenantId", value ->> 1 AS "recipientKey", value ->> 2 AS "topics", value ->> 3 AS "index"
    FROM ${dialect.elements(sql`${json}`, 'j')})
  SELECT w."index", m."pushId" FROM w CROSS JOIN ${joined}
  UNION ALL
  SELECT w."index", g."id" FROM w CROSS JOIN "GlobalMessage" AS g
  WHERE g."tenantId" = w."tenantId" AND g."id" >= ${from} AND g."id" < ${below} ${named} AND g."expiresAt" > ${now}
    AND g."cancelledAt" IS NULL AND ${isFor('g')} AND ${isUnsettled(dialect, 'g', raw('w."recipientKey"'))}
  LIMIT ${MAX_NAMED}`;
};

/** Returns the ids of queued messages, each with its connection, and whether these are all. */
export async function waitingFor<T extends Waiting>(
  database: Database,
  wanted: readonly T[],
  query: WaitingQuery,
): Promise<{ messages: { id: string; of: T }[]; isAll: boolean }> {
  const json = wanted.map(({ tenantId, recipientKey, topics }, index) => [tenantId, recipientKey, asJson(topics), index]);
  const rows = await database
    .acrossTenants(OF_CONNECTIONS)
    .$cells(waitingStatement(database.dialect, JSON.stringify(json), query));
  const messages = rows.map(([index, id]) => ({ id: String(id), of: wanted[Number(index)]! }));
  return { messages, isAll: rows.length < MAX_NAMED };
}

/** Bytes of messages read per query. */
const READ_BYTES = 1024 * 1024;

/** Reads queued messages in creation order, and returns whether more may follow. */
export async function backlogPage(
  database: Database,
  query: BacklogQuery,
): Promise<{ messages: BacklogMessage[]; more: boolean }> {
  const { rows, bytes } = await database.of(query.tenantId).$cellsUpTo(backlogStatement(database.dialect, query), READ_BYTES);
  return { messages: rows.map(BACKLOG_MESSAGE.row), more: rows.length === query.limit || bytes > READ_BYTES };
}

const BACKLOG_MESSAGE = mapper(
  new Columns<BacklogMessage>('waiting', {
    id: 'key',
    global: 'boolean',
    message: 'long text',
    topic: 'text',
    expiresAt: 'bigint',
    inbox: 'boolean',
  }),
);

/** Exported for a query plan test. */
export function backlogStatement(
  dialect: Dialect,
  { tenantId, recipientKey, topics, after, fleetingFrom, limit }: BacklogQuery,
): SizedStatement {
  const now = dialect.time(new Date());
  const json = asJson(topics);
  const wanted = (table: string, id: Sql): Sql => {
    const expiresAt = raw(`${table}."expiresAt"`);
    const isFor = json.length === 0 ? raw(`${table}."topic" IS NULL`) : isForTopics(dialect, table, sql`${JSON.stringify(json)}`);
    const fleeting = fleetingFrom === undefined ? empty : sql`OR ${expiresAt} IS NULL AND ${id} >= ${fleetingFrom}`;
    return sql`${raw(table)}."tenantId" = ${tenantId} AND ${id} > ${after}
      AND ${isFor}
      AND (${table === 'm' ? expiryOf(dialect) : expiresAt} > ${now} ${fleeting})`;
  };
  const columns = (table: string, id: string, global: number): Sql =>
    raw(
      `${id} AS "id", ${global} AS "global", ${table}."message", ${table}."topic", ${table}."expiresAt", ` +
        `${global ? 'false' : `${table}."inbox"`} AS "inbox"`,
    );
  const own = sql`
    SELECT ${columns('m', 'm."pushId"', 0)} FROM "Message" AS m ${dialect.indexedBy(WAITING)}
    WHERE ${wanted('m', raw('m."pushId"'))} AND m."recipientKey" = ${recipientKey}
      AND m."status" ${IS_PENDING} AND NOT m."isGlobal"`;
  const global = sql`
    SELECT ${columns('g', 'g."id"', 1)} FROM "GlobalMessage" AS g
    ${fleetingFrom === undefined ? dialect.indexedBy(EXPIRING) : empty} WHERE ${wanted('g', raw('g."id"'))} AND g."cancelledAt" IS NULL AND ${isUnsettled(dialect, 'g', sql`${recipientKey}`)}`;
  const shown = BACKLOG_MESSAGE.columns(dialect, '"waiting"', { expiresAt: dialect.milliseconds('"waiting"."expiresAt"') });
  const statement = sql`SELECT ${raw(shown)} FROM (${own} UNION ALL ${global}) AS "waiting" ORDER BY "id" LIMIT ${limit}`;
  return { statement, wanted: 'rows' };
}
