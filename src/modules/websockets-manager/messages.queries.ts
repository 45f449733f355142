import type { PrismaService } from '../../common/database/prisma.service.js';
import { SqlValues } from '../../common/database/sql-values.js';
import { indexKey } from '../../common/validation/index-key.js';
import type { GlobalMessageRow, MessageRow } from './message-row.js';
import type { MessageStatus } from './message-states.js';

/** How many characters of a topic the indexes hold. */
const KEY_LENGTH = 100;

/** Which messages are wanted. Creation times are bounds of ids. */
export interface GlobalMessagesWanted {
  tenantId: string;
  from: string | undefined;
  below: string | undefined;
  expiresFrom: Date | undefined;
  expiresTo: Date | undefined;
  topic: string | undefined;
  limit: number;
}

export interface MessagesWanted extends GlobalMessagesWanted {
  recipientKey: string | undefined;
  globalMessageId: string | undefined;
  status: MessageStatus | undefined;
}

const COLUMNS = `m."id", m."recipientKey", m."recipient", coalesce(m."message", g."message") AS "message", m."topic", m."status",
  m."expiresAt", m."deliveredAt", m."cancelledAt", m."globalMessageId"`;
const JOIN = `LEFT JOIN "GlobalMessage" AS g ON m."globalMessageId" IS NOT NULL AND g."tenantId" = m."tenantId" AND g."id" = m."globalMessageId"`;

/** Newest first. */
export function pageOfMessages(prisma: PrismaService, isPostgres: boolean, wanted: MessagesWanted): Promise<MessageRow[]> {
  const { text, values } = messagesStatement(isPostgres, wanted);
  return prisma.$queryRawUnsafe<MessageRow[]>(text, ...values);
}

/** The statement of a page, apart from its execution so that a test can have it explained. */
export function messagesStatement(isPostgres: boolean, wanted: MessagesWanted) {
  const sql = new SqlValues(isPostgres);
  const { recipientKey, globalMessageId, status, limit } = wanted;
  const conditions = conditionsOf(sql, isPostgres, wanted);
  if (recipientKey !== undefined) conditions.push(`m."recipientKey" = ${sql.value(recipientKey)}`);
  if (globalMessageId !== undefined) conditions.push(`m."globalMessageId" = ${sql.value(globalMessageId)}`);
  // Written out, so that the index of what is not delivered serves it.
  if (status !== undefined) conditions.push(`m."status" = '${status}'`);
  const text = `SELECT ${COLUMNS} FROM "Message" AS m ${JOIN} WHERE ${conditions.join(' AND ')}
    ORDER BY m."id" DESC LIMIT ${sql.value(limit)}`;
  return { text, values: sql.values };
}

/** Newest first. */
export function pageOfGlobalMessages(
  prisma: PrismaService,
  isPostgres: boolean,
  wanted: GlobalMessagesWanted,
): Promise<GlobalMessageRow[]> {
  const sql = new SqlValues(isPostgres);
  const conditions = conditionsOf(sql, isPostgres, wanted);
  const text = `SELECT m."id", m."message", m."topic", m."expiresAt" FROM "GlobalMessage" AS m WHERE ${conditions.join(' AND ')}
    ORDER BY m."id" DESC LIMIT ${sql.value(wanted.limit)}`;
  return prisma.$queryRawUnsafe<GlobalMessageRow[]>(text, ...sql.values);
}

/** Messages by id, in no order. */
export function messagesOfIds(
  prisma: PrismaService,
  isPostgres: boolean,
  tenantId: string,
  ids: string[],
): Promise<MessageRow[]> {
  const sql = new SqlValues(isPostgres);
  const own = sql.value(tenantId);
  const list = sql.value(JSON.stringify(ids));
  const wanted = isPostgres ? `SELECT json_array_elements_text(${list}::json)` : `SELECT value FROM json_each(${list})`;
  const text = `SELECT ${COLUMNS} FROM "Message" AS m ${JOIN} WHERE m."tenantId" = ${own} AND m."id" IN (${wanted})`;
  return prisma.$queryRawUnsafe<MessageRow[]>(text, ...sql.values);
}

function conditionsOf(sql: SqlValues, isPostgres: boolean, wanted: GlobalMessagesWanted): string[] {
  const { tenantId, from, below, expiresFrom, expiresTo, topic } = wanted;
  const conditions = [`m."tenantId" = ${sql.value(tenantId)}`];
  if (from !== undefined) conditions.push(`m."id" >= ${sql.value(from)}`);
  if (below !== undefined) conditions.push(`m."id" < ${sql.value(below)}`);
  if (expiresFrom) conditions.push(`m."expiresAt" >= ${sql.time(expiresFrom)}`);
  if (expiresTo) conditions.push(`m."expiresAt" <= ${sql.time(expiresTo)}`);
  if (topic !== undefined) {
    const key = isPostgres ? `left(m."topic", ${KEY_LENGTH})` : `substr(m."topic", 1, ${KEY_LENGTH})`;
    conditions.push(`${key} = ${sql.value(indexKey(topic, KEY_LENGTH))}`, `m."topic" = ${sql.value(topic)}`);
  }
  return conditions;
}
