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
  /** The last of the page before. */
  after: { pushId: string; recipientKey: string } | undefined;
  recipientKey: string | undefined;
  globalMessageId: string | undefined;
  status: MessageStatus | undefined;
}

const SAME_PUSH = 'g."tenantId" = m."tenantId" AND g."id" = m."pushId"';
const TEXT = `coalesce(m."message", (SELECT g."message" FROM "GlobalMessage" AS g WHERE m."isGlobal" AND ${SAME_PUSH}))`;
const COLUMNS = `m."pushId", m."recipientKey", m."recipient", ${TEXT} AS "message", m."topic", m."status",
  m."expiresAt", m."deliveredAt", m."cancelledAt", m."isGlobal"`;

/** Newest push first, then by recipient. */
export async function pageOfMessages(prisma: PrismaService, isPostgres: boolean, wanted: MessagesWanted): Promise<MessageRow[]> {
  const pages = await Promise.all(
    messagesStatements(isPostgres, wanted).map(({ text, values }) => prisma.$queryRawUnsafe<MessageRow[]>(text, ...values)),
  );
  if (pages.length === 1) return pages[0]!;
  // One recipient has one message of each push.
  const rows = pages.flat().sort((a, b) => (a.pushId < b.pushId ? 1 : -1));
  return rows.slice(0, wanted.limit);
}

/** The statements of a page, apart from their execution so that a test can have them explained. */
export function messagesStatements(isPostgres: boolean, wanted: MessagesWanted) {
  const { recipientKey, globalMessageId } = wanted;
  if (recipientKey === undefined || globalMessageId !== undefined) return [messagesStatement(isPostgres, wanted, [])];
  return [messagesStatement(isPostgres, wanted, ['NOT m."isGlobal"']), partsStatement(isPostgres, wanted)];
}

const NEWEST_FIRST = 'ORDER BY m."pushId" DESC, m."recipientKey" DESC';

/** Those that one index serves; `only` leaves out some. */
function messagesStatement(isPostgres: boolean, wanted: MessagesWanted, only: string[]) {
  const sql = new SqlValues(isPostgres);
  const { after, recipientKey, globalMessageId, status, limit } = wanted;
  const conditions = [...only, ...conditionsOf(sql, isPostgres, { table: 'm', id: 'm."pushId"' }, wanted)];
  if (after) conditions.push(`(m."pushId", m."recipientKey") < (${sql.value(after.pushId)}, ${sql.value(after.recipientKey)})`);
  if (recipientKey !== undefined) conditions.push(`m."recipientKey" = ${sql.value(recipientKey)}`);
  if (globalMessageId !== undefined) conditions.push(`m."pushId" = ${sql.value(globalMessageId)}`, 'm."isGlobal"');
  if (status !== undefined) conditions.push(having(status));
  const text = `SELECT ${COLUMNS} FROM "Message" AS m WHERE ${conditions.join(' AND ')} ${NEWEST_FIRST} LIMIT ${sql.value(limit)}`;
  return { text, values: sql.values };
}

/**
 * A recipient's parts of global messages have no index of their own: the tenant's global messages are walked, and its part
 * of each is looked up. The joins are those that the planners take as they stand.
 */
function partsStatement(isPostgres: boolean, wanted: MessagesWanted) {
  const sql = new SqlValues(isPostgres);
  const { after, recipientKey, status, limit } = wanted;
  const part = `m."isGlobal" AND ${SAME_PUSH} AND m."recipientKey" = ${sql.value(recipientKey)}`;
  const from = isPostgres
    ? `"GlobalMessage" AS g CROSS JOIN LATERAL (SELECT * FROM "Message" AS m WHERE ${part} LIMIT 1) AS m`
    : `"GlobalMessage" AS g CROSS JOIN "Message" AS m ON ${part}`;
  const conditions = conditionsOf(sql, isPostgres, { table: 'g', id: 'g."id"' }, wanted);
  if (after) conditions.push(`g."id" < ${sql.value(after.pushId)}`);
  if (status !== undefined) conditions.push(having(status));
  const text = `SELECT ${COLUMNS} FROM ${from} WHERE ${conditions.join(' AND ')} ORDER BY g."id" DESC LIMIT ${sql.value(limit)}`;
  return { text, values: sql.values };
}

/** Written out, so that the index of what is not delivered serves it. */
const having = (status: MessageStatus): string => `m."status" = '${status}'`;

/** Newest first. */
export function pageOfGlobalMessages(
  prisma: PrismaService,
  isPostgres: boolean,
  wanted: GlobalMessagesWanted,
): Promise<GlobalMessageRow[]> {
  const sql = new SqlValues(isPostgres);
  const conditions = conditionsOf(sql, isPostgres, { table: 'm', id: 'm."id"' }, wanted);
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
  const text = `SELECT ${COLUMNS} FROM "Message" AS m WHERE m."tenantId" = ${own} AND m."pushId" IN (${wanted})`;
  return prisma.$queryRawUnsafe<MessageRow[]>(text, ...sql.values);
}

function conditionsOf(
  sql: SqlValues,
  isPostgres: boolean,
  { table, id }: { table: string; id: string },
  wanted: GlobalMessagesWanted,
): string[] {
  const { tenantId, from, below, expiresFrom, expiresTo, topic } = wanted;
  const conditions = [`${table}."tenantId" = ${sql.value(tenantId)}`];
  if (from !== undefined) conditions.push(`${id} >= ${sql.value(from)}`);
  if (below !== undefined) conditions.push(`${id} < ${sql.value(below)}`);
  if (expiresFrom) conditions.push(`${table}."expiresAt" >= ${sql.time(expiresFrom)}`);
  if (expiresTo) conditions.push(`${table}."expiresAt" <= ${sql.time(expiresTo)}`);
  if (topic !== undefined) {
    const key = isPostgres ? `left(${table}."topic", ${KEY_LENGTH})` : `substr(${table}."topic", 1, ${KEY_LENGTH})`;
    conditions.push(`${key} = ${sql.value(indexKey(topic, KEY_LENGTH))}`, `${table}."topic" = ${sql.value(topic)}`);
  }
  return conditions;
}
