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

/** Indexed prefix of a text, in code points. */
export const KEY_LENGTH = 100;

/** Earliest and latest storable time. */
const FIRST = new Date(-8.64e15);
const LAST = new Date(8.64e15);

const ABOVE_ALL_TEXTS = '\u{10FFFF}';

/** Position of the record before a page. */
interface LogPosition {
  dateTime: Date;
  id: string;
}

export interface LogsQuery {
  tenantId: string;
  wanted: LogsWanted;
  /** Cursor of the record before the page. */
  after: string | undefined;
  /** True for exports, which have no search time limit. */
  isLong?: boolean;
}

/** Indexed filter fields, most selective first. A query uses the index of the first field given. */
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

/** Builds the statements of a filter. Separate from execution for query plan tests. */
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

/** Returns the fields of each usable index. Conditions on other fields would make the planner combine indexes and sort. */
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
  // Excludes records with an invalid time, which only a query by id returns. The unary plus stops SQLite from using an index here.
  const isTime = sql`${dialect.unindexed}m."dateTime" BETWEEN ${dialect.time(FIRST)} AND ${dialect.time(LAST)}`;
  const served: Walk['served'] = ({ after, downTo }) => {
    const conditions = [...found];
    if (wanted.to && after === undefined) conditions.push(sql`m."dateTime" <= ${dialect.time(wanted.to)}`); // implied by the cursor on later pages
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

/** Time in milliseconds for the cursor, without a fraction, computed from the index. */
const MILLISECONDS = { sqlite: 'm."dateTime"', postgresql: '(extract(epoch FROM m."dateTime") * 1000)::bigint' };

/** Builds an equality test that an index on the prefix of a value can serve. */
function inIndex(dialect: Dialect, field: FilterField, value: string): Sql[] {
  if (field === 'id') return [sql`m."id" = ${value}`];
  const key = raw(dialect.prefix(`m."${field}"`, KEY_LENGTH));
  return [sql`${key} = ${indexKey(value, KEY_LENGTH)}`, raw(`m."${field}" IS NOT NULL`)];
}

/**
 * Returns true if the index holds only a prefix of the value: then the whole value is compared too. A needless comparison would lower the
 * row estimate of PostgreSQL and cause a sort.
 */
function isCutInIndex(field: FilterField, value: string): boolean {
  return field !== 'id' && Array.from(value.slice(0, 2 * KEY_LENGTH)).length >= KEY_LENGTH;
}

const rowOf = (dialect: Dialect, { dateTime, id }: LogPosition): Sql => sql`(${dialect.time(dateTime)}, ${id})`;

/** Builds the cursor of a record. Replaces an id of bytes, which SQLite sorts after all texts, by the highest text. */
export function cursorOf({ dateTime, id }: LogPosition): string {
  return `${dateTime.getTime()} ${typeof id === 'string' ? id : ABOVE_ALL_TEXTS}`;
}

function positionOf(cursor: string): LogPosition {
  const [time, id] = cursor.split(' ') as [string, string];
  return { dateTime: new Date(Number(time)), id };
}

/** Seq and size of a record. */
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
 * Returns the latest record per attribute id of a document up to a time, ordered by attribute id, at most `limit`. Scans in steps and calls
 * `onStep` between them: one document can own most of a log.
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

/** Counts records per day by the index on tenant and dateTime. Exported for a query plan test. */
export const recordsCounted = (): Counting => ({
  table: '"Log"',
  by: { column: '"dateTime"', holds: 'times' },
  counts: [[]],
});
