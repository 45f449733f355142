import type { Database } from '../../../common/database/database.js';
import { indexKey } from '../../../common/base/text.js';
import { Columns, mapper } from '../../../common/database/sql/columns.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { join, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import type { SizedStatement } from '../../../common/database/sql/sized-rows.js';
import { MAX_SEARCHED } from '../models/limits.js';
import { MessageStatus } from '../messages/message-states.js';
import { allTopics, isPattern, presentIn, type Topics } from '../models/topics.js';
import { asJson, type BacklogMessage, isForTopics } from './backlog.queries.js';

/** Indexed prefix of a topic, in characters. */
const KEY_LENGTH = 100;
/** Bytes of messages read per query. */
const READ_BYTES = 1024 * 1024;

/** Messages to read for a connection. */
export interface RewindQuery {
  tenantId: string;
  recipientKey: string;
  topics: Topics;
  /** Lower bound of ids. */
  from: string;
  /** Maximum messages of each topic or pattern. */
  perTopic: number;
}

/** Stored message of a topic, with the status of the recipient's own message or copy, if any. */
export interface StoredMessage extends BacklogMessage {
  status: MessageStatus | null;
}

const isCurrent = (dialect: Dialect, table: string): Sql => {
  const expiresAt = raw(`${table}."expiresAt"`);
  return sql`(${expiresAt} IS NULL OR ${expiresAt} > ${dialect.time(new Date())})`;
};

/** Finds ids and topics of messages, newest first within each part: own ones, global ones of each topic, and of all patterns. Exported for a query plan test. */
export function idsStatement(dialect: Dialect, { tenantId, recipientKey, topics, from, perTopic }: RewindQuery): Sql {
  const forTopics = (table: string): Sql => isForTopics(dialect, table, sql`${JSON.stringify(asJson(topics))}`);
  const own = sql`
    SELECT m."pushId" AS "id", m."topic" FROM "Message" AS m ${dialect.indexedBy('Message_tenantId_recipientKey_idx')}
    WHERE m."tenantId" = ${tenantId} AND m."recipientKey" = ${recipientKey} AND NOT m."isGlobal" AND m."pushId" >= ${from}
    ORDER BY m."pushId" DESC LIMIT ${MAX_SEARCHED}`;
  const global = (condition: Sql, index: Sql, limit: number): Sql => sql`
    SELECT g."id", g."topic" FROM "GlobalMessage" AS g ${index}
    WHERE g."tenantId" = ${tenantId} AND g."id" >= ${from} AND g."topic" IS NOT NULL AND ${condition}
    ORDER BY g."id" DESC LIMIT ${limit}`;
  const prefix = raw(dialect.prefix('g."topic"', KEY_LENGTH));
  const parts = presentIn(topics).map((topic) => {
    const isTopic = sql`${prefix} = ${indexKey(topic, KEY_LENGTH)} AND g."topic" = ${topic} AND g."cancelledAt" IS NULL`;
    return global(isTopic, dialect.indexedBy('GlobalMessage_tenantId_topic_id_idx'), perTopic);
  });
  if (allTopics(topics).some(isPattern)) parts.push(global(sql`g."cancelledAt" IS NULL`, raw(''), MAX_SEARCHED));
  const found = [own, ...parts].map((part, index) => sql`SELECT "id", "topic" FROM (${part}) AS ${raw(`p${index}`)}`);
  return sql`SELECT "f"."id", "f"."topic" FROM (${join(found, ' UNION ALL ')}) AS "f" WHERE "f"."topic" IS NOT NULL AND ${forTopics('"f"')}`;
}

/** Returns ids and topics of messages, each once, newest first. */
export async function rewoundIds(database: Database, query: RewindQuery): Promise<{ id: string; topic: string }[]> {
  const rows = (await database.of(query.tenantId).$cells(idsStatement(database.dialect, query))) as [string, string][];
  const topics = new Map(rows);
  return [...topics.keys()]
    .toSorted()
    .toReversed()
    .map((id) => ({ id, topic: topics.get(id)! }));
}

const STORED = mapper(
  new Columns<StoredMessage>('stored', {
    id: 'key',
    global: 'boolean',
    message: 'long text',
    topic: 'text',
    expiresAt: 'bigint',
    inbox: 'boolean',
    status: 'key',
  }),
);

/** Exported for a query plan test. */
export function storedStatement(
  dialect: Dialect,
  { tenantId, recipientKey }: Pick<RewindQuery, 'tenantId' | 'recipientKey'>,
  ids: string[],
): SizedStatement {
  const columns = (table: string, id: string, global: number): Sql =>
    raw(
      `${id} AS "id", ${global} AS "global", ${table}."message", ${table}."topic", ${table}."expiresAt", ` +
        `${global ? 'false' : `${table}."inbox"`} AS "inbox"`,
    );
  const own = sql`
    SELECT ${columns('m', 'm."pushId"', 0)}, m."status" FROM "Message" AS m
    WHERE m."tenantId" = ${tenantId} AND m."pushId" IN (${dialect.texts(ids)}) AND m."recipientKey" = ${recipientKey}
      AND NOT m."isGlobal" AND ${isCurrent(dialect, 'm')}`;
  const global = sql`
    SELECT ${columns('g', 'g."id"', 1)}, (
      SELECT r."status" FROM "Message" AS r
      WHERE r."tenantId" = g."tenantId" AND r."pushId" = g."id" AND r."recipientKey" = ${recipientKey}) AS "status"
    FROM "GlobalMessage" AS g
    WHERE g."tenantId" = ${tenantId} AND g."id" IN (${dialect.texts(ids)}) AND g."cancelledAt" IS NULL AND ${isCurrent(dialect, 'g')}`;
  const shown = STORED.columns(dialect, '"stored"', { expiresAt: dialect.milliseconds('"stored"."expiresAt"') });
  const statement = sql`
    SELECT ${raw(shown)} FROM (${own} UNION ALL ${global}) AS "stored"
    WHERE "status" IS NULL OR "status" <> ${raw(`'${MessageStatus.CANCELLED}'`)} ORDER BY "id"`;
  return { statement, wanted: 'rows' };
}

/** Reads messages in the order of their ids, unless cancelled or expired, and returns whether some were left out for their size. */
export async function storedMessages(
  database: Database,
  query: Pick<RewindQuery, 'tenantId' | 'recipientKey'>,
  ids: string[],
): Promise<{ messages: StoredMessage[]; more: boolean }> {
  const statement = storedStatement(database.dialect, query, ids);
  const { rows, bytes } = await database.of(query.tenantId).$cellsUpTo(statement, READ_BYTES);
  return { messages: rows.map(STORED.row), more: bytes > READ_BYTES };
}
