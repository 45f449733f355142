import type { PageRows, PageWanted } from '../../../common/lists/page-rows.js';
import { readSteppedPage, type SteppedList } from '../../../common/lists/stepped-pages.js';
import { entries, STEP_ENTRIES, type Walk } from '../../../common/database/sql/index-walks.js';
import type { Database } from '../../../common/database/database.js';
import { sizedColumns } from '../../../common/database/sql/sized-rows.js';
import { raw, scan, sql, type Sql } from '../../../common/database/sql/sql.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { indexKey } from '../../../common/base/text.js';
import type { Counting } from '../../../common/lists/counted-periods.js';
import { FILTER_FIELDS, type FilterField, type LogsWanted } from '../records/logs-filter.input.js';
import { type Cells, LOG_SIZES, READ_COUNT, readColumns, type ReadLogRow, readRow } from '../records/log-row.js';

/** Characters of a text that the indexes contain; both databases count code points. */
export const KEY_LENGTH = 100;

/** The first and last time that can be stored. */
const FIRST = new Date(-8.64e15);
const LAST = new Date(8.64e15);

const ABOVE_ALL_TEXTS = '\u{10FFFF}';

/** The record after which a page begins. */
interface LogPosition {
  dateTime: Date;
  id: string;
}

export interface LogsQuery {
  tenantId: string;
  wanted: LogsWanted;
  /** The cursor after which the page begins. */
  after: string | undefined;
  /** Whether a page may take long to find, as in an export, where nobody waits for a single page. */
  isLong?: boolean;
}

/** The fields whose indexes serve a filter, the most selective first; the first given one is walked first. */
const LEADING: FilterField[] = ['documentId', 'custom1', 'authorId', 'custom2', 'attributeId', 'action', 'documentType'];

/** Returns a page of records, newest event first. */
export async function pageOfLogs(
  database: Database,
  query: LogsQuery,
  page: PageWanted,
): Promise<{ rows: ReadLogRow[]; more: PageRows['more'] }> {
  const { rows, more } = await readSteppedPage(database.of(query.tenantId), logsList(database.dialect, query), {
    ...page,
    after: query.after,
  });
  return { rows: (rows as Cells[]).map(readRow), more };
}

/** The list of a filter, separate from its reading so that a test can explain its statements. */
export function logsList(dialect: Dialect, { tenantId, wanted, isLong }: Omit<LogsQuery, 'after'>): SteppedList {
  const all = readColumns(dialect);
  return {
    dialect,
    isLong,
    columns: (limit, columns) => sizedColumns(dialect, columns, limit, { all, ...LOG_SIZES }),
    columnCount: READ_COUNT,
    parts: [walksOf(wanted).map((fields) => walkOf(dialect, tenantId, wanted, fields)) as [Walk, ...Walk[]]],
    placeOf: (cursor) => positionOf(cursor).dateTime.getTime(),
  };
}

/** The fields of each index that can be walked. A walk has only the conditions on these, or planners would combine indexes and sort. */
function walksOf(wanted: LogsWanted): FilterField[][] {
  if (wanted.id !== undefined) return [['id']];
  const given = LEADING.filter((field) => wanted[field] !== undefined).map((field) => [field]);
  const isBoth = wanted.documentId !== undefined && wanted.attributeId !== undefined;
  if (isBoth)
    return [['documentId', 'attributeId'], ...given.filter(([field]) => field !== 'documentId' && field !== 'attributeId')];
  return given.length > 0 ? given : [[]];
}

function walkOf(dialect: Dialect, tenantId: string, wanted: LogsWanted, fields: FilterField[]): Walk {
  const isById = fields[0] === 'id';
  const found = [sql`m."tenantId" = ${tenantId}`, ...fields.flatMap((field) => inIndex(dialect, field, wanted[field]!))];
  if (wanted.from) found.push(sql`m."dateTime" >= ${dialect.time(wanted.from)}`);
  // A record with an invalid time has no place in the order, and is found by its id only; the plus keeps SQLite off an index.
  const isTime = sql`${dialect.unindexed}m."dateTime" BETWEEN ${dialect.time(FIRST)} AND ${dialect.time(LAST)}`;
  const served: Walk['served'] = ({ after, downTo }) => {
    const conditions = [...found];
    if (wanted.to && after === undefined) conditions.push(sql`m."dateTime" <= ${dialect.time(wanted.to)}`); // a later page begins below it
    if (after !== undefined) conditions.push(sql`(m."dateTime", m."id") < ${rowOf(dialect, positionOf(after))}`);
    if (downTo !== undefined) conditions.push(sql`(m."dateTime", m."id") >= ${rowOf(dialect, positionOf(downTo))}`);
    if (!isById) conditions.push(isTime);
    return conditions;
  };
  const isFound = (field: FilterField) => fields.includes(field) && !isCutInIndex(field, wanted[field]!);
  const rest = FILTER_FIELDS.filter((field) => wanted[field] !== undefined && !isFound(field));
  return {
    table: '"Log"',
    alias: 'm',
    rowKey: ['"seq"'],
    order: isById ? [] : ['m."dateTime"', 'm."id"'],
    cursor: `${dialect.pick(MILLISECONDS)} || ' ' || m."id"`,
    served,
    rest: rest.map((field) => sql`${raw(`m."${field}"`)} = ${wanted[field]}`),
  };
}

/** Milliseconds for the cursor: without a fraction, and read from the index. */
const MILLISECONDS = { sqlite: 'm."dateTime"', postgresql: '(extract(epoch FROM m."dateTime") * 1000)::bigint' };

/** Equality as an index can serve it, which contains the beginning of each value. */
function inIndex(dialect: Dialect, field: FilterField, value: string): Sql[] {
  if (field === 'id') return [sql`m."id" = ${value}`];
  const key = raw(dialect.prefix(`m."${field}"`, KEY_LENGTH));
  return [sql`${key} = ${indexKey(value, KEY_LENGTH)}`, raw(`m."${field}" IS NOT NULL`)];
}

/**
 * Whether the index holds only the beginning of this value, so that the whole must be compared too. A needless comparison
 * would make PostgreSQL expect too few rows, and sort them all.
 */
function isCutInIndex(field: FilterField, value: string): boolean {
  return field !== 'id' && Array.from(value.slice(0, 2 * KEY_LENGTH)).length >= KEY_LENGTH;
}

const rowOf = (dialect: Dialect, { dateTime, id }: LogPosition): Sql => sql`(${dialect.time(dateTime)}, ${id})`;

/** Replaces an id of bytes, which SQLite sorts above all texts, by a text above all others. */
export function cursorOf({ dateTime, id }: LogPosition): string {
  return `${dateTime.getTime()} ${typeof id === 'string' ? id : ABOVE_ALL_TEXTS}`;
}

function positionOf(cursor: string): LogPosition {
  const [time, id] = cursor.split(' ') as [string, string];
  return { dateTime: new Date(Number(time)), id };
}

/** A record's seq and size, without its texts. */
export interface SizedLog {
  seq: bigint;
  bytes: number;
}

interface DocumentQuery {
  tenantId: string;
  documentId: string;
  documentType: string;
  at: Date;
}

/**
 * Returns the latest record of each attribute id of a document up to a time, in the order of these ids, or the first `limit`
 * found. Walks the document in steps and calls `onStep` between them, since one document can have most records of a log.
 */
export async function latestOfAttributes(
  database: Database,
  { tenantId, documentId, documentType, at }: DocumentQuery,
  { limit, onStep }: { limit: number; onStep: () => Promise<void> },
): Promise<SizedLog[]> {
  const { dialect } = database;
  const walk = walkOf(dialect, tenantId, { documentId, to: at }, ['documentId']);
  const columns = raw(`m."attributeId", ${dialect.exactly('m."seq"')}, ${LOG_SIZES.bytes}, ${walk.cursor}`);
  const isWanted = sql`m."documentId" = ${documentId} AND m."documentType" = ${documentType} AND m."attributeId" IS NOT NULL`;
  const latest = new Map<unknown, SizedLog>();
  for (let after: string | undefined; ;) {
    const step = scan(sql`
      SELECT ${columns}, CASE WHEN ${isWanted} THEN 1 ELSE 0 END ${entries(walk, { after })} LIMIT ${raw(String(STEP_ENTRIES))}`);
    const rows = await database.of(tenantId).$cells(step);
    for (const [attributeId, seq, bytes, , wanted] of rows) {
      if (Number(wanted) === 1 && !latest.has(attributeId))
        latest.set(attributeId, { seq: BigInt(seq as string), bytes: Number(bytes) });
    }
    if (rows.length < STEP_ENTRIES || latest.size >= limit) break;
    after = String(rows.at(-1)![3]);
    await onStep();
  }
  const byId = [...latest].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return byId.slice(0, limit).map(([, record]) => record);
}

/** Counts the records of each day by the index on tenant and dateTime. Exported for a test of its plan. */
export const recordsCounted = (): Counting => ({
  table: '"Log"',
  by: { column: '"dateTime"', holds: 'times' },
  counts: [[]],
});
