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

const COLUMNS = `m."pushId", m."recipientKey", m."recipient", coalesce(m."message", g."message") AS "message", m."topic", m."status",
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
  if (recipientKey === undefined || globalMessageId !== undefined) return [messagesStatement(isPostgres, wanted, JOINED)];
  return [messagesStatement(isPostgres, wanted, OWN), messagesStatement(isPostgres, wanted, PARTS)];
}

const SAME_PUSH = 'g."tenantId" = m."tenantId" AND g."id" = m."pushId"';
const JOINED = { from: `"Message" AS m LEFT JOIN "GlobalMessage" AS g ON m."isGlobal" AND ${SAME_PUSH}`, only: [] };
const OWN = { from: `"Message" AS m LEFT JOIN "GlobalMessage" AS g ON false`, only: ['NOT m."isGlobal"'] };
/** A recipient's parts of global messages have no index of their own: the tenant's global messages are walked instead. */
const PARTS = { from: `"GlobalMessage" AS g CROSS JOIN "Message" AS m`, only: ['m."isGlobal"', SAME_PUSH], walks: 'g."id"' };

function messagesStatement(
  isPostgres: boolean,
  wanted: MessagesWanted,
  { from, only, walks }: { from: string; only: string[]; walks?: string },
) {
  const sql = new SqlValues(isPostgres);
  const { tenantId, after, recipientKey, globalMessageId, status, limit } = wanted;
  const conditions = [...only, ...conditionsOf(sql, isPostgres, walks ?? 'm."pushId"', wanted)];
  if (walks) conditions.push(`g."tenantId" = ${sql.value(tenantId)}`);
  if (after && walks) conditions.push(`${walks} < ${sql.value(after.pushId)}`);
  else if (after)
    conditions.push(`(m."pushId", m."recipientKey") < (${sql.value(after.pushId)}, ${sql.value(after.recipientKey)})`);
  if (recipientKey !== undefined) conditions.push(`m."recipientKey" = ${sql.value(recipientKey)}`);
  if (globalMessageId !== undefined) conditions.push(`m."pushId" = ${sql.value(globalMessageId)}`, 'm."isGlobal"');
  // Written out, so that the index of what is not delivered serves it.
  if (status !== undefined) conditions.push(`m."status" = '${status}'`);
  const text = `SELECT ${COLUMNS} FROM ${from} WHERE ${conditions.join(' AND ')}
    ORDER BY ${walks ? `${walks} DESC` : 'm."pushId" DESC, m."recipientKey" DESC'} LIMIT ${sql.value(limit)}`;
  return { text, values: sql.values };
}

/** Newest first. */
export function pageOfGlobalMessages(
  prisma: PrismaService,
  isPostgres: boolean,
  wanted: GlobalMessagesWanted,
): Promise<GlobalMessageRow[]> {
  const sql = new SqlValues(isPostgres);
  const conditions = conditionsOf(sql, isPostgres, 'm."id"', wanted);
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
  const text = `SELECT ${COLUMNS} FROM ${JOINED.from} WHERE m."tenantId" = ${own} AND m."pushId" IN (${wanted})`;
  return prisma.$queryRawUnsafe<MessageRow[]>(text, ...sql.values);
}

function conditionsOf(sql: SqlValues, isPostgres: boolean, id: string, wanted: GlobalMessagesWanted): string[] {
  const { tenantId, from, below, expiresFrom, expiresTo, topic } = wanted;
  const conditions = [`m."tenantId" = ${sql.value(tenantId)}`];
  if (from !== undefined) conditions.push(`${id} >= ${sql.value(from)}`);
  if (below !== undefined) conditions.push(`${id} < ${sql.value(below)}`);
  if (expiresFrom) conditions.push(`m."expiresAt" >= ${sql.time(expiresFrom)}`);
  if (expiresTo) conditions.push(`m."expiresAt" <= ${sql.time(expiresTo)}`);
  if (topic !== undefined) {
    const key = isPostgres ? `left(m."topic", ${KEY_LENGTH})` : `substr(m."topic", 1, ${KEY_LENGTH})`;
    conditions.push(`${key} = ${sql.value(indexKey(topic, KEY_LENGTH))}`, `m."topic" = ${sql.value(topic)}`);
  }
  return conditions;
}
