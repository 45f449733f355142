import type { Database } from '../../../common/database/database.js';
import { Columns, mapper } from '../../../common/database/sql/columns.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import type { SizedStatement } from '../../../common/database/sql/sized-rows.js';
import { empty, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { MessageStatus } from '../messages/message-states.js';
import { type RecipientKey, recipientOf } from '../models/recipient-key.js';

/** A message that waits for a recipient. `id` is that of the message, or of the global message. */
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
  /** The topic of the connection. It receives messages with this topic or without a topic. */
  topic: string | null;
  /** Selects messages with higher ids. */
  after: string;
  /** From which id on to include messages that cannot wait; undefined includes none. */
  fleetingFrom: string | undefined;
  limit: number;
}

/**
 * Indexes that SQLite must be told to use: with the primary key, which begins with the tenant, it would read all messages of the
 * tenant.
 */
const WAITING = 'Message_waiting_idx';
const EXPIRING = 'GlobalMessage_waiting_idx';
const IS_PENDING = raw(`= '${MessageStatus.PENDING}'`);

const OF_CONNECTIONS = 'a node asks for its connections of every tenant, each with its tenant';

/** `json` lists a tenant, a recipient's key, a time and an index for each recipient. Exported so that a test can explain it. */
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

/** Returns for each recipient whether messages may be waiting, with any topic. */
export async function hasBacklog(database: Database, recipients: readonly RecipientKey[]): Promise<boolean[]> {
  const now = Date.now();
  const json = recipients.map(({ tenantId, recipientKey }, index) => [tenantId, recipientKey, now, index]);
  const rows = await database.acrossTenants(OF_CONNECTIONS).$cells(hasBacklogStatement(database.dialect, JSON.stringify(json)));
  const found = new Set(rows.map(([index]) => Number(index)));
  return recipients.map((_, index) => found.has(index));
}

/** A range of message ids, which stands for a range of creation times. */
export interface IdWindow {
  from: string;
  below: string;
}

/** How many waiting messages one statement returns at most. */
const MAX_NAMED = 10_000;
const OF_TENANTS = 'Message_tenantId_status_idx';

/**
 * `json` lists the tenants. Exported so that a test can explain it. SQLite uses a partial index only if the statement repeats the
 * condition of the index.
 */
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
 * Returns by tenant the recipients for whom messages in the window wait, sent or not. If a global message waits, returns `all`
 * for its tenant. If more messages wait than one statement returns, returns `all` for every tenant.
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

/** A connection to find waiting messages for: messages with its topic or without a topic. */
export type Waiting = RecipientKey & { topic: string | null };

/** `json` lists a tenant, a recipient's key, a topic and an index for each connection. Exported so that a test can explain it. */
export const waitingStatement = (dialect: Dialect, json: string, { from, below }: IdWindow): Sql => {
  const now = dialect.time(new Date());
  const isFor = (table: string): Sql => raw(`(${table}."topic" IS NULL OR ${table}."topic" = w."topic")`);
  const own = sql`"Message" AS m ${dialect.indexedBy(WAITING)}
    WHERE m."tenantId" = w."tenantId" AND m."recipientKey" = w."recipientKey" AND m."pushId" >= ${from} AND m."pushId" < ${below}
      AND m."status" ${IS_PENDING} AND NOT m."isGlobal" AND m."expiresAt" > ${now} AND ${isFor('m')}`;
  // Both planners keep the order of this join: one index lookup for each connection.
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
  LIMIT ${MAX_NAMED}`; // the next poll returns the others
};

/** Returns the ids of the messages in the window that wait for recipients of the connections, each with its connection. */
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

/** How many bytes of messages one query reads. */
const READ_BYTES = 1024 * 1024;

/** Reads waiting messages in the order of their creation, and returns whether there may be more. */
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
  }),
);

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
