import { type PageRows, type PageWanted, readPage } from '../../../common/lists/page-rows.js';
import { readSteppedPage, type SteppedList } from '../../../common/lists/stepped-pages.js';
import { mapper } from '../../../common/database/sql/columns.js';
import { type FewRows, isFew, sortedStatement } from '../../../common/database/sql/few-rows.js';
import { type FilterSql, inOrderOf, type Walk, walksBy } from '../../../common/database/sql/index-walks.js';
import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { sizedColumns, sizesOf, type Wanted } from '../../../common/database/sql/sized-rows.js';
import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { indexKey } from '../../../common/base/text.js';
import type { Counting } from '../../../common/lists/counted-periods.js';
import { type GlobalMessageRow, LISTED_GLOBAL_MESSAGE, LISTED_MESSAGE, type MessageKey, type MessageRow } from './message-row.js';
import { MessageStatus } from './message-states.js';

/** Indexed prefix of a topic, in characters. */
const KEY_LENGTH = 100;
const ID_LENGTH = 36;

/** Filter of global messages. Bounds of ids represent creation times. */
export interface GlobalMessagesWanted {
  tenantId: string;
  from: string | undefined;
  below: string | undefined;
  expiresFrom: Date | undefined;
  expiresTo: Date | undefined;
  topic: string | undefined;
  /** Cursor of the last row of the previous page. */
  after: string | undefined;
}

export interface MessagesWanted extends GlobalMessagesWanted {
  recipientKey: string | undefined;
  globalMessageId: string | undefined;
  status: MessageStatus | undefined;
}

const SAME_PUSH = 'g."tenantId" = m."tenantId" AND g."id" = m."pushId"';
const ofGlobal = (column: string): string => `(SELECT ${column} FROM "GlobalMessage" AS g WHERE m."isGlobal" AND ${SAME_PUSH})`;

const MESSAGE = mapper(LISTED_MESSAGE);
const GLOBAL = mapper(LISTED_GLOBAL_MESSAGE);
const SIZES_OF_GLOBAL = sizesOf(LISTED_GLOBAL_MESSAGE, 'm');

const TEXT = `coalesce(m."message", ${ofGlobal('g."message"')})`;
/** Measures each column separately: the length of coalesce(…) would read the text. */
const TEXT_BYTES = `coalesce(octet_length(m."message"), ${ofGlobal('octet_length(g."message")')}, 0)`;
const REST = sizesOf(LISTED_MESSAGE.without('message'), 'm');
const SIZES = { ...REST, bytes: `${REST.bytes} + ${TEXT_BYTES}`, long: [TEXT] };

const messageColumns = (dialect: Dialect, wanted: Wanted, limit: number): Sql =>
  sizedColumns(dialect, wanted, limit, { all: MESSAGE.columns(dialect, 'm', { message: TEXT }), ...SIZES });

interface Rows<T> {
  rows: T[];
  /** True if more rows may follow; a cursor, if they do not start after the last row. */
  more: PageRows['more'];
}

/** Returns a page of messages by push, newest first, then by recipient. */
export async function pageOfMessages(database: Database, wanted: MessagesWanted, page: PageWanted): Promise<Rows<MessageRow>> {
  const list = messagesList(database.dialect, wanted);
  const isOfMany = wanted.recipientKey === undefined && wanted.globalMessageId === undefined;
  const { rows, more } = await pageOf(database, list, wanted, { page, few: isOfMany ? EXPIRING : undefined });
  return { rows: rows.map(MESSAGE.row), more };
}

const EXPIRING: Omit<FewRows, 'served'> = {
  table: '"Message"',
  alias: 'm',
  rowKey: ['"tenantId"', '"pushId"', '"recipientKey"'],
  key: ['m."tenantId"', 'm."pushId"', 'm."recipientKey"'],
};
const EXPIRING_GLOBAL: Omit<FewRows, 'served'> = {
  table: '"GlobalMessage"',
  alias: 'm',
  rowKey: ['rowid'],
  key: ['m."tenantId"', 'm."id"'],
};

interface PageOfFew {
  page: PageWanted;
  /** Rows to find by their expiry, if that is a filter and few match. */
  few: Omit<FewRows, 'served'> | undefined;
}

/** Reads a page in steps along the order, unless few rows match the expiry: these are found by its index and sorted. */
async function pageOf(database: Database, list: SteppedList, wanted: GlobalMessagesWanted, { page, few }: PageOfFew) {
  const { tenantId, after } = wanted;
  const { dialect } = database;
  const own = database.of(tenantId);
  const [expiry] = few ? expiryFilter(dialect, few.alias, wanted) : [];
  if (few && expiry) {
    const hint = dialect.indexedBy(`${few.table.slice(1, -1)}_tenantId_expiresAt_idx`);
    const expiring = { ...few, hint, served: [sql`m."tenantId" = ${tenantId}`, sql`m."expiresAt" IS NOT NULL`, ...expiry.whole] };
    if (await isFew(own, expiring)) {
      const [walk] = list.parts[0]!;
      const sorted = { rest: [...walk.served({ after }), ...walk.rest], order: inOrderOf(walk) };
      return readPage(own, [(limit, rows) => sortedStatement(list, expiring, sorted, limit, rows)], page);
    }
  }
  return readSteppedPage(own, list, { ...page, after });
}

/** Exported for a query plan test. */
export function messagesList(dialect: Dialect, wanted: MessagesWanted): SteppedList {
  const { recipientKey, globalMessageId } = wanted;
  const own = messageWalks(dialect, wanted);
  const hasCopies = recipientKey !== undefined && globalMessageId === undefined;
  return {
    dialect,
    columns: (limit, columns) => messageColumns(dialect, columns, limit),
    columnCount: MESSAGE.count,
    parts: hasCopies ? [own, copyWalks(dialect, wanted, recipientKey)] : [own],
  };
}

/** Builds the scans of a tenant's messages. For one recipient, excludes its copies of global messages, which `copyWalks` finds. */
function messageWalks(dialect: Dialect, wanted: MessagesWanted): [Walk, ...Walk[]] {
  const { recipientKey, globalMessageId, status } = wanted;
  const ofRecipient = recipientKey === undefined ? [] : [sql`m."recipientKey" = ${recipientKey}`];
  const ofOnePush = globalMessageId !== undefined;
  const filters: FilterSql[] = [];
  if (ofOnePush) filters.push({ whole: [sql`m."isGlobal"`] });
  else if (recipientKey !== undefined) {
    const whole = [...ofRecipient, sql`NOT m."isGlobal"`];
    filters.push({ whole, indexed: whole, hint: dialect.indexedBy('Message_tenantId_recipientKey_idx') });
  }
  if (status !== undefined) {
    const whole = [hasStatus(status)];
    filters.push({ whole, indexed: whole, hint: dialect.indexedBy('Message_tenantId_status_idx') });
  }
  filters.push(...topicFilter(dialect, 'm', wanted, 'Message_tenantId_topic_idx'), ...expiryFilter(dialect, 'm', wanted));
  const served: Walk['served'] = ({ after, downTo }) => {
    const conditions = withinTimes({ table: 'm', id: 'm."pushId"' }, wanted);
    if (ofOnePush) conditions.push(sql`m."pushId" = ${globalMessageId}`, ...ofRecipient);
    if (after !== undefined) conditions.push(sql`(m."pushId", m."recipientKey") < ${keyOf(after)}`);
    if (downTo !== undefined) conditions.push(sql`(m."pushId", m."recipientKey") >= ${keyOf(downTo)}`);
    return conditions;
  };
  const order = ['m."pushId"', 'm."recipientKey"'];
  const cursor = 'm."pushId" || m."recipientKey"';
  const rowKey = ['"tenantId"', '"pushId"', '"recipientKey"'];
  return walksBy(filters, { table: '"Message"', alias: 'm', rowKey, order, cursor, served }, { alsoBase: ofOnePush });
}

/**
 * Builds the scans of global messages, with a lookup of the recipient's copy of each: copies have no index by recipient. Fixes the join
 * order on both databases.
 */
function copyWalks(dialect: Dialect, wanted: MessagesWanted, recipientKey: string): [Walk, ...Walk[]] {
  const { status } = wanted;
  const ofRecipient = sql`m."recipientKey" = ${recipientKey}`;
  const whole = [ofRecipient, ...(status === undefined ? [] : [hasStatus(status)])];
  const filters = [{ whole }, ...topicFilter(dialect, 'g', wanted, GLOBAL_TOPICS), ...expiryFilter(dialect, 'g', wanted)];
  const copy = sql`m."isGlobal" AND ${raw(SAME_PUSH)} AND ${ofRecipient}`;
  const join = dialect.pick({
    sqlite: sql`CROSS JOIN "Message" AS m ON ${copy}`,
    postgresql: sql`CROSS JOIN LATERAL (SELECT * FROM "Message" AS m WHERE ${copy} LIMIT 1) AS m`,
  });
  return walksBy(filters, { ...globalWalk('g', wanted), join });
}

function globalWalk(table: 'g' | 'm', wanted: GlobalMessagesWanted): Omit<Walk, 'rest'> {
  const id = `${table}."id"`;
  const served: Walk['served'] = ({ after, downTo }) => {
    const conditions = withinTimes({ table, id }, wanted);
    if (after !== undefined) conditions.push(sql`${raw(id)} < ${pushIdOf(after)}`);
    if (downTo !== undefined) conditions.push(sql`${raw(id)} >= ${pushIdOf(downTo)}`);
    return conditions;
  };
  return { table: '"GlobalMessage"', alias: table, rowKey: ['rowid'], order: [id], cursor: id, served };
}

const pushIdOf = (cursor: string): string => cursor.slice(0, ID_LENGTH);

/** Splits a cursor into the fixed-length id and the recipient's key. */
const keyOf = (cursor: string): Sql => sql`(${pushIdOf(cursor)}, ${cursor.slice(ID_LENGTH)})`;

const hasStatus = (status: MessageStatus): Sql => raw(`m."status" = '${status}'`);

/** Returns a page of global messages, newest first. */
export async function pageOfGlobalMessages(
  database: Database,
  wanted: GlobalMessagesWanted,
  page: PageWanted,
): Promise<Rows<GlobalMessageRow>> {
  const { dialect } = database;
  const all = GLOBAL.columns(dialect, 'm');
  const filters = [...topicFilter(dialect, 'm', wanted, GLOBAL_TOPICS), ...expiryFilter(dialect, 'm', wanted)];
  const list: SteppedList = {
    dialect,
    columns: (limit, columns) => sizedColumns(dialect, columns, limit, { all, ...SIZES_OF_GLOBAL }),
    columnCount: GLOBAL.count,
    parts: [walksBy(filters, globalWalk('m', wanted))],
  };
  const { rows, more } = await pageOf(database, list, wanted, { page, few: EXPIRING_GLOBAL });
  return { rows: rows.map(GLOBAL.row), more };
}

/** Returns messages of one push by id, unordered, without their common text. */
export function messagesWithIds(database: Database, tenantId: string, ids: string[]): Promise<Omit<MessageRow, 'message'>[]> {
  const { dialect } = database;
  return database.of(tenantId).$rows(
    MESSAGE,
    sql`SELECT ${raw(MESSAGE.columns(dialect, 'm', { message: 'NULL' }))} FROM "Message" AS m
      WHERE m."tenantId" = ${tenantId} AND m."pushId" IN (${dialect.texts(ids)})`,
  );
}

/** Returns a message with its text. */
export async function findMessage(
  database: Database,
  { tenantId, pushId, recipientKey }: MessageKey,
): Promise<MessageRow | undefined> {
  const columns = raw(MESSAGE.columns(database.dialect, 'm', { message: TEXT }));
  const key = sql`m."tenantId" = ${tenantId} AND m."pushId" = ${pushId} AND m."recipientKey" = ${recipientKey}`;
  return (await database.of(tenantId).$rows(MESSAGE, sql`SELECT ${columns} FROM "Message" AS m WHERE ${key}`))[0];
}

function withinTimes({ table, id }: { table: string; id: string }, { tenantId, from, below }: GlobalMessagesWanted): Sql[] {
  const conditions = [sql`${raw(table)}."tenantId" = ${tenantId}`];
  if (from !== undefined) conditions.push(sql`${raw(id)} >= ${from}`);
  if (below !== undefined) conditions.push(sql`${raw(id)} < ${below}`);
  return conditions;
}

const GLOBAL_TOPICS = 'GlobalMessage_tenantId_topic_id_idx';

function topicFilter(dialect: Dialect, table: string, { topic }: GlobalMessagesWanted, index: string): FilterSql[] {
  if (topic === undefined) return [];
  const column = raw(`${table}."topic"`);
  const beginning = indexKey(topic, KEY_LENGTH);
  const whole = [sql`${column} = ${topic}`];
  const key = raw(dialect.prefix(`${table}."topic"`, KEY_LENGTH));
  const indexed = [sql`${key} = ${beginning}`, sql`${column} IS NOT NULL`];
  const left = Array.from(beginning).length < KEY_LENGTH ? [] : whole;
  return [{ whole, indexed, left, hint: dialect.indexedBy(index) }];
}

function expiryFilter(dialect: Dialect, table: string, { expiresFrom, expiresTo }: GlobalMessagesWanted): FilterSql[] {
  if (!expiresFrom && !expiresTo) return [];
  const expiresAt = raw(`${table}."expiresAt"`);
  const whole = [
    ...(expiresFrom ? [sql`${expiresAt} >= ${dialect.time(expiresFrom)}`] : []),
    ...(expiresTo ? [sql`${expiresAt} <= ${dialect.time(expiresTo)}`] : []),
  ];
  return [{ whole }];
}

/** Counts messages per hour by status, from an index alone. Exported for a query plan test. */
export const messagesCounted = (): Counting => ({
  table: '"Message"',
  by: { column: '"pushId"', holds: 'ids' },
  counts: [MessageStatus.PENDING, MessageStatus.DELIVERED, MessageStatus.CANCELLED].map((status) => [
    raw(`"status" = '${status}'`),
  ]),
});
