import { type PageStatement, type PageWanted, readPage } from '../../common/bounds/page-rows.js';
import { type ColumnKinds, columnsOf, rowReader } from '../../common/database/columns.js';
import type { PrismaService } from '../../common/database/prisma.service.js';
import { bytesOf, type SizedStatement, sizedColumns, type Wanted } from '../../common/database/sized-rows.js';
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

/** Names one row. */
export interface MessageKey {
  tenantId: string;
  pushId: string;
  recipientKey: string;
}

const SAME_PUSH = 'g."tenantId" = m."tenantId" AND g."id" = m."pushId"';
const ofGlobal = (column: string): string => `(SELECT ${column} FROM "GlobalMessage" AS g WHERE m."isGlobal" AND ${SAME_PUSH})`;

const MESSAGE: ColumnKinds<MessageRow> = {
  pushId: 'as it is',
  recipientKey: 'as it is',
  recipient: 'as it is',
  message: 'as it is',
  topic: 'as it is',
  status: 'as it is',
  expiresAt: 'time',
  deliveredAt: 'time',
  cancelledAt: 'time',
  isGlobal: 'boolean',
};
const GLOBAL: ColumnKinds<GlobalMessageRow> = {
  id: 'as it is',
  message: 'as it is',
  topic: 'as it is',
  expiresAt: 'time',
  cancelledAt: 'time',
};
const toMessageRow = rowReader(MESSAGE);
const toGlobalRow = rowReader(GLOBAL);

const TEXT = `coalesce(m."message", ${ofGlobal('g."message"')})`;
/** Not of the text, which would be read for it. */
const TEXT_BYTES = `coalesce(octet_length(m."message"), ${ofGlobal('octet_length(g."message")')}, 0)`;
const REST_BYTES = bytesOf(['m."recipientKey"', 'm."recipient"', 'm."topic"']);

const messageColumns = (isPostgres: boolean, wanted: Wanted, limit: number): string =>
  sizedColumns(isPostgres, wanted, limit, {
    all: columnsOf(isPostgres, MESSAGE, 'm', { message: TEXT }),
    key: 'm."pushId"',
    bytes: `${REST_BYTES} + ${TEXT_BYTES}`,
    long: [TEXT],
  });

interface Rows<T> {
  rows: T[];
  /** Whether there are later ones. */
  more: boolean;
}

/** Newest push first, then by recipient. One recipient has one message of each push. */
export async function pageOfMessages(
  prisma: PrismaService,
  isPostgres: boolean,
  wanted: Omit<MessagesWanted, 'limit'>,
  page: PageWanted,
): Promise<Rows<MessageRow>> {
  const count = messagesStatements(isPostgres, { ...wanted, limit: 0 }).length;
  const statements = Array.from({ length: count }, (_, index): PageStatement => {
    return (limit, columns) => messagesStatements(isPostgres, { ...wanted, limit }, columns)[index]!;
  });
  const { rows, more } = await readPage(prisma, statements, page);
  return { rows: rows.map(toMessageRow), more };
}

/** The statements of a page, apart from their execution so that a test can have them explained. */
export function messagesStatements(isPostgres: boolean, wanted: MessagesWanted, columns: Wanted = 'rows'): SizedStatement[] {
  const { recipientKey, globalMessageId } = wanted;
  const shown = { wanted: columns, columns: messageColumns(isPostgres, columns, wanted.limit) };
  if (recipientKey === undefined || globalMessageId !== undefined) return [messagesStatement(isPostgres, wanted, shown, [])];
  return [messagesStatement(isPostgres, wanted, shown, ['NOT m."isGlobal"']), partsStatement(isPostgres, wanted, shown)];
}

interface Shown {
  wanted: Wanted;
  columns: string;
}

const NEWEST_FIRST = 'ORDER BY m."pushId" DESC, m."recipientKey" DESC';

/** Those that one index serves; `only` leaves out some. */
function messagesStatement(isPostgres: boolean, wanted: MessagesWanted, shown: Shown, only: string[]): SizedStatement {
  const sql = new SqlValues(isPostgres);
  const { after, recipientKey, globalMessageId, status, limit } = wanted;
  const conditions = [...only, ...conditionsOf(sql, isPostgres, { table: 'm', id: 'm."pushId"' }, wanted)];
  if (after) conditions.push(`(m."pushId", m."recipientKey") < (${sql.value(after.pushId)}, ${sql.value(after.recipientKey)})`);
  if (recipientKey !== undefined) conditions.push(`m."recipientKey" = ${sql.value(recipientKey)}`);
  if (globalMessageId !== undefined) conditions.push(`m."pushId" = ${sql.value(globalMessageId)}`, 'm."isGlobal"');
  if (status !== undefined) conditions.push(having(status));
  const where = conditions.join(' AND ');
  const text = `SELECT ${shown.columns} FROM "Message" AS m WHERE ${where} ${NEWEST_FIRST} LIMIT ${sql.value(limit)}`;
  return { text, values: sql.values, wanted: shown.wanted };
}

/**
 * A recipient's parts of global messages have no index of their own: the tenant's global messages are walked, and its part
 * of each is looked up. The joins are those that the planners take as they stand.
 */
function partsStatement(isPostgres: boolean, wanted: MessagesWanted, shown: Shown): SizedStatement {
  const sql = new SqlValues(isPostgres);
  const { after, recipientKey, status, limit } = wanted;
  const part = `m."isGlobal" AND ${SAME_PUSH} AND m."recipientKey" = ${sql.value(recipientKey)}`;
  const from = isPostgres
    ? `"GlobalMessage" AS g CROSS JOIN LATERAL (SELECT * FROM "Message" AS m WHERE ${part} LIMIT 1) AS m`
    : `"GlobalMessage" AS g CROSS JOIN "Message" AS m ON ${part}`;
  const conditions = conditionsOf(sql, isPostgres, { table: 'g', id: 'g."id"' }, wanted);
  if (after) conditions.push(`g."id" < ${sql.value(after.pushId)}`);
  if (status !== undefined) conditions.push(having(status));
  const where = conditions.join(' AND ');
  const text = `SELECT ${shown.columns} FROM ${from} WHERE ${where} ORDER BY g."id" DESC LIMIT ${sql.value(limit)}`;
  return { text, values: sql.values, wanted: shown.wanted };
}

/** Written out, so that the index of what is not delivered serves it. */
const having = (status: MessageStatus): string => `m."status" = '${status}'`;

/** Newest first. */
export async function pageOfGlobalMessages(
  prisma: PrismaService,
  isPostgres: boolean,
  wanted: Omit<GlobalMessagesWanted, 'limit'>,
  page: PageWanted,
): Promise<Rows<GlobalMessageRow>> {
  const all = columnsOf(isPostgres, GLOBAL, 'm');
  const bytes = bytesOf(['m."message"', 'm."topic"']);
  const statement: PageStatement = (limit, columns) => {
    const sql = new SqlValues(isPostgres);
    const conditions = conditionsOf(sql, isPostgres, { table: 'm', id: 'm."id"' }, wanted);
    const shown = sizedColumns(isPostgres, columns, limit, { all, key: 'm."id"', bytes, long: ['m."message"'] });
    const where = conditions.join(' AND ');
    const text = `SELECT ${shown} FROM "GlobalMessage" AS m WHERE ${where} ORDER BY m."id" DESC LIMIT ${sql.value(limit)}`;
    return { text, values: sql.values, wanted: columns };
  };
  const { rows, more } = await readPage(prisma, [statement], page);
  return { rows: rows.map(toGlobalRow), more };
}

/** Messages of one push by their ids, in no order, without the text that they share. */
export async function messagesOfIds(
  prisma: PrismaService,
  isPostgres: boolean,
  tenantId: string,
  ids: string[],
): Promise<Omit<MessageRow, 'message'>[]> {
  const sql = new SqlValues(isPostgres);
  const columns = columnsOf(isPostgres, MESSAGE, 'm', { message: 'NULL' });
  const own = sql.value(tenantId);
  const list = sql.value(JSON.stringify(ids));
  const wanted = isPostgres ? `SELECT json_array_elements_text(${list}::json)` : `SELECT value FROM json_each(${list})`;
  const text = `SELECT ${columns} FROM "Message" AS m WHERE m."tenantId" = ${own} AND m."pushId" IN (${wanted})`;
  return (await prisma.$queryArrays(text, sql.values)).map(toMessageRow);
}

/** One message with its text. */
export async function messageOf(
  prisma: PrismaService,
  isPostgres: boolean,
  { tenantId, pushId, recipientKey }: MessageKey,
): Promise<MessageRow | undefined> {
  const sql = new SqlValues(isPostgres);
  const columns = columnsOf(isPostgres, MESSAGE, 'm', { message: TEXT });
  const key = `m."tenantId" = ${sql.value(tenantId)} AND m."pushId" = ${sql.value(pushId)} AND m."recipientKey" = ${sql.value(recipientKey)}`;
  const [row] = await prisma.$queryArrays(`SELECT ${columns} FROM "Message" AS m WHERE ${key}`, sql.values);
  return row && toMessageRow(row);
}

function conditionsOf(
  sql: SqlValues,
  isPostgres: boolean,
  { table, id }: { table: string; id: string },
  wanted: Omit<GlobalMessagesWanted, 'limit'>,
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
