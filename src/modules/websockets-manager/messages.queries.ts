import type { PageRows, PageWanted } from '../../common/bounds/page-rows.js';
import { readSteppedPage, type SteppedList } from '../../common/bounds/stepped-pages.js';
import { type ColumnKinds, columnsOf, rowReader } from '../../common/database/columns.js';
import { type Conditions, type FilterSql, NO_CONDITION, walksBy } from '../../common/database/filter-walks.js';
import type { Walk } from '../../common/database/index-walks.js';
import type { PrismaService } from '../../common/database/prisma.service.js';
import { bytesOf, sizedColumns, type Wanted } from '../../common/database/sized-rows.js';
import { SqlValues } from '../../common/database/sql-values.js';
import { indexKey } from '../../common/validation/index-key.js';
import type { GlobalMessageRow, MessageRow } from './message-row.js';
import { MessageStatus } from './message-states.js';

/** How many characters of a topic the indexes hold. */
const KEY_LENGTH = 100;
const ID_LENGTH = 36;

/** Which messages are wanted. Creation times are bounds of ids. */
export interface GlobalMessagesWanted {
  tenantId: string;
  from: string | undefined;
  below: string | undefined;
  expiresFrom: Date | undefined;
  expiresTo: Date | undefined;
  topic: string | undefined;
  /** The cursor of the last of the page before. */
  after: string | undefined;
}

export interface MessagesWanted extends GlobalMessagesWanted {
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
  /** Whether there can be later ones, and behind which cursor if not behind the last. */
  more: PageRows['more'];
}

/** Newest push first, then by recipient. One recipient has one message of each push. */
export async function pageOfMessages(
  prisma: PrismaService,
  isPostgres: boolean,
  wanted: MessagesWanted,
  page: PageWanted,
): Promise<Rows<MessageRow>> {
  const { rows, more } = await readSteppedPage(prisma, messagesList(isPostgres, wanted), { ...page, after: wanted.after });
  return { rows: rows.map(toMessageRow), more };
}

/** The list of a filter, apart from its reading so that a test can have its statements explained. */
export function messagesList(isPostgres: boolean, wanted: MessagesWanted): SteppedList {
  const { recipientKey, globalMessageId } = wanted;
  const own = messageWalks(isPostgres, wanted);
  const hasParts = recipientKey !== undefined && globalMessageId === undefined;
  return {
    isPostgres,
    columns: (limit, columns) => messageColumns(isPostgres, columns, limit),
    columnCount: Object.keys(MESSAGE).length,
    parts: hasParts ? [own, partWalks(isPostgres, wanted, recipientKey)] : [own],
  };
}

/** All messages of a tenant but, when they are of one recipient, its parts of global ones. */
function messageWalks(isPostgres: boolean, wanted: MessagesWanted): [Walk, ...Walk[]] {
  const { recipientKey, globalMessageId, status } = wanted;
  const ofRecipient: Conditions = (sql) => [`m."recipientKey" = ${sql.value(recipientKey)}`];
  const ofOnePush = globalMessageId !== undefined;
  const filters: FilterSql[] = [];
  if (ofOnePush) filters.push({ whole: () => ['m."isGlobal"'] });
  else if (recipientKey !== undefined) {
    const whole: Conditions = (sql) => [...ofRecipient(sql), 'NOT m."isGlobal"'];
    filters.push({ whole, indexed: whole });
  }
  if (status !== undefined) {
    const whole = () => [having(status)];
    filters.push(status === MessageStatus.DELIVERED ? { whole } : { whole, indexed: whole });
  }
  filters.push(...topicFilter(isPostgres, 'm', wanted), ...expiryFilter('m', wanted, ['m."expiresAt" IS NOT NULL']));
  const served: Walk['served'] = (sql, { after, downTo }) => {
    const conditions = withinTimes(sql, { table: 'm', id: 'm."pushId"' }, wanted);
    if (ofOnePush) {
      conditions.push(`m."pushId" = ${sql.value(globalMessageId)}`);
      if (recipientKey !== undefined) conditions.push(...ofRecipient(sql));
    }
    if (after !== undefined) conditions.push(`(m."pushId", m."recipientKey") < ${keyOf(sql, after)}`);
    if (downTo !== undefined) conditions.push(`(m."pushId", m."recipientKey") >= ${keyOf(sql, downTo)}`);
    return conditions;
  };
  const order = ['m."pushId"', 'm."recipientKey"'];
  const cursor = 'm."pushId" || m."recipientKey"';
  const rowKey = ['"tenantId"', '"pushId"', '"recipientKey"'];
  return walksBy(filters, { table: '"Message"', alias: 'm', rowKey, order, cursor, served }, { alsoBase: ofOnePush });
}

/**
 * A recipient's parts of global messages have no index of their own: the tenant's global messages are walked, and its part
 * of each is looked up. The joins are those that the planners take as they stand.
 */
function partWalks(isPostgres: boolean, wanted: MessagesWanted, recipientKey: string): [Walk, ...Walk[]] {
  const { status } = wanted;
  const whole: Conditions = (sql) => [
    `m."recipientKey" = ${sql.value(recipientKey)}`,
    ...(status === undefined ? [] : [having(status)]),
  ];
  const filters = [{ whole }, ...topicFilter(isPostgres, 'g', wanted), ...expiryFilter('g', wanted)];
  const join: Walk['join'] = (sql) => {
    const part = `m."isGlobal" AND ${SAME_PUSH} AND m."recipientKey" = ${sql.value(recipientKey)}`;
    return isPostgres
      ? `CROSS JOIN LATERAL (SELECT * FROM "Message" AS m WHERE ${part} LIMIT 1) AS m`
      : `CROSS JOIN "Message" AS m ON ${part}`;
  };
  return walksBy(filters, { ...globalWalk('g', wanted), join });
}

function globalWalk(table: string, wanted: GlobalMessagesWanted): Omit<Walk, 'rest'> {
  const id = `${table}."id"`;
  const served: Walk['served'] = (sql, { after, downTo }) => {
    const conditions = withinTimes(sql, { table, id }, wanted);
    if (after !== undefined) conditions.push(`${id} < ${sql.value(pushIdOf(after))}`);
    if (downTo !== undefined) conditions.push(`${id} >= ${sql.value(pushIdOf(downTo))}`);
    return conditions;
  };
  return { table: '"GlobalMessage"', alias: table, rowKey: ['rowid'], order: [id], cursor: id, served };
}

const pushIdOf = (cursor: string): string => cursor.slice(0, ID_LENGTH);

/** Of a cursor of messages: ids have one length, so that what follows is the recipient. */
function keyOf(sql: SqlValues, cursor: string): string {
  return `(${sql.value(pushIdOf(cursor))}, ${sql.value(cursor.slice(ID_LENGTH))})`;
}

/** Written out, so that the index of what is not delivered serves it. */
const having = (status: MessageStatus): string => `m."status" = '${status}'`;

/** Newest first. */
export async function pageOfGlobalMessages(
  prisma: PrismaService,
  isPostgres: boolean,
  wanted: GlobalMessagesWanted,
  page: PageWanted,
): Promise<Rows<GlobalMessageRow>> {
  const all = columnsOf(isPostgres, GLOBAL, 'm');
  const bytes = bytesOf(['m."message"', 'm."topic"']);
  const list: SteppedList = {
    isPostgres,
    columns: (limit, columns) => sizedColumns(isPostgres, columns, limit, { all, key: 'm."id"', bytes, long: ['m."message"'] }),
    columnCount: Object.keys(GLOBAL).length,
    parts: [walksBy([...topicFilter(isPostgres, 'm', wanted), ...expiryFilter('m', wanted)], globalWalk('m', wanted))],
  };
  const { rows, more } = await readSteppedPage(prisma, list, { ...page, after: wanted.after });
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

function withinTimes(
  sql: SqlValues,
  { table, id }: { table: string; id: string },
  { tenantId, from, below }: GlobalMessagesWanted,
): string[] {
  const conditions = [`${table}."tenantId" = ${sql.value(tenantId)}`];
  if (from !== undefined) conditions.push(`${id} >= ${sql.value(from)}`);
  if (below !== undefined) conditions.push(`${id} < ${sql.value(below)}`);
  return conditions;
}

function topicFilter(isPostgres: boolean, table: string, { topic }: GlobalMessagesWanted): FilterSql[] {
  if (topic === undefined) return [];
  const column = `${table}."topic"`;
  const key = isPostgres ? `left(${column}, ${KEY_LENGTH})` : `substr(${column}, 1, ${KEY_LENGTH})`;
  const beginning = indexKey(topic, KEY_LENGTH);
  const whole: Conditions = (sql) => [`${column} = ${sql.value(topic)}`];
  const indexed: Conditions = (sql) => [`${key} = ${sql.value(beginning)}`, `${column} IS NOT NULL`];
  return [{ whole, indexed, left: Array.from(beginning).length < KEY_LENGTH ? NO_CONDITION : whole }];
}

/** `indexed` finds all that expires, if an index does. */
function expiryFilter(table: string, { expiresFrom, expiresTo }: GlobalMessagesWanted, indexed?: string[]): FilterSql[] {
  if (!expiresFrom && !expiresTo) return [];
  const whole: Conditions = (sql) => [
    ...(expiresFrom ? [`${table}."expiresAt" >= ${sql.time(expiresFrom)}`] : []),
    ...(expiresTo ? [`${table}."expiresAt" <= ${sql.time(expiresTo)}`] : []),
  ];
  return [indexed ? { whole, indexed: () => indexed, left: whole } : { whole }];
}
