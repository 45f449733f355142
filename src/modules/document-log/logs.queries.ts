import type { PageRows, PageWanted } from '../../common/bounds/page-rows.js';
import { readSteppedPage, type SteppedList } from '../../common/bounds/stepped-pages.js';
import { entries, STEP_ENTRIES, type Walk } from '../../common/database/index-walks.js';
import type { PrismaService } from '../../common/database/prisma.service.js';
import { bytesOf, sizedColumns } from '../../common/database/sized-rows.js';
import { SqlValues } from '../../common/database/sql-values.js';
import { indexKey } from '../../common/validation/index-key.js';
import { FILTER_FIELDS, type FilterField, type LogsWanted } from './inputs/logs-filter.rules.js';
import { type Cells, SHOWN_COUNT, shownColumns, shownRow, type ShownLogRow } from './log-row.js';
import { exactly } from './log-seq.queries.js';

/** How many characters of a text the indexes hold; both databases count code points. */
const KEY_LENGTH = 100;

/** What any time that can be stored is between. */
const FIRST = new Date(-8.64e15);
const LAST = new Date(8.64e15);

const ABOVE_ALL_TEXTS = '\u{10FFFF}';

/** Where a page begins: after this record. */
interface LogPosition {
  dateTime: Date;
  id: string;
}

export interface LogsQuery {
  tenantId: string;
  wanted: LogsWanted;
  /** The cursor after which the page begins. */
  after: string | undefined;
  /** Whether a page may take long to find, since nobody waits for it alone. */
  isLong?: boolean;
}

/** The fields whose indexes serve a filter, the most selective first; of several the first is walked first. */
const LEADING: FilterField[] = ['documentId', 'custom1', 'authorId', 'custom2', 'attributeId', 'action', 'documentType'];

/** Newest event first. */
export async function pageOfLogs(
  prisma: PrismaService,
  isPostgres: boolean,
  query: LogsQuery,
  page: PageWanted,
): Promise<{ rows: ShownLogRow[]; more: PageRows['more'] }> {
  const { rows, more } = await readSteppedPage(prisma, logsList(isPostgres, query), { ...page, after: query.after });
  return { rows: (rows as Cells[]).map(shownRow), more };
}

const BYTES = bytesOf(
  ['documentId', 'documentType', 'attributeId', 'authorId', 'action', 'comment', 'custom1', 'custom2', 'details'].map(
    (name) => `"${name}"`,
  ),
);

const LONG = ['"comment"', '"custom1"', '"custom2"', '"details"'];

/** The list of a filter, apart from its reading so that a test can have its statements explained. */
export function logsList(isPostgres: boolean, { tenantId, wanted, isLong }: Omit<LogsQuery, 'after'>): SteppedList {
  const all = shownColumns(isPostgres);
  return {
    isPostgres,
    isLong,
    columns: (limit, columns) => sizedColumns(isPostgres, columns, limit, { all, key: 'm."id"', bytes: BYTES, long: LONG }),
    columnCount: SHOWN_COUNT,
    parts: [walksOf(wanted).map((fields) => walkOf(isPostgres, tenantId, wanted, fields)) as [Walk, ...Walk[]]],
    placeOf: (cursor) => positionOf(cursor).dateTime.getTime(),
  };
}

/** By which fields each index goes that can be walked. Only their keys are part of its walk, or planners would join indexes and sort. */
function walksOf(wanted: LogsWanted): FilterField[][] {
  if (wanted.id !== undefined) return [['id']];
  const given = LEADING.filter((field) => wanted[field] !== undefined).map((field) => [field]);
  const isBoth = wanted.documentId !== undefined && wanted.attributeId !== undefined;
  if (isBoth)
    return [['documentId', 'attributeId'], ...given.filter(([field]) => field !== 'documentId' && field !== 'attributeId')];
  return given.length > 0 ? given : [[]];
}

function walkOf(isPostgres: boolean, tenantId: string, wanted: LogsWanted, fields: FilterField[]): Walk {
  const ms = isPostgres ? '(extract(epoch FROM m."dateTime") * 1000)::bigint' : 'm."dateTime"';
  const served: Walk['served'] = (sql, { after, downTo }) => {
    const conditions = [`m."tenantId" = ${sql.value(tenantId)}`];
    for (const field of fields) conditions.push(...inIndex(sql, isPostgres, field, wanted[field]!));
    if (wanted.from) conditions.push(`m."dateTime" >= ${sql.time(wanted.from)}`);
    if (wanted.to && after === undefined) conditions.push(`m."dateTime" <= ${sql.time(wanted.to)}`); // a later page begins below it
    if (after !== undefined) conditions.push(`(m."dateTime", m."id") < ${rowOf(sql, positionOf(after))}`);
    if (downTo !== undefined) conditions.push(`(m."dateTime", m."id") >= ${rowOf(sql, positionOf(downTo))}`);
    // What was changed to no time has no place in the order of times, and is found by its id; the plus keeps SQLite's planner off.
    if (fields[0] !== 'id') {
      conditions.push(`${isPostgres ? '' : '+'}m."dateTime" BETWEEN ${sql.time(FIRST)} AND ${sql.time(LAST)}`);
    }
    return conditions;
  };
  const isFound = (field: FilterField) => fields.includes(field) && !isCutInIndex(field, wanted[field]!);
  const rest = FILTER_FIELDS.filter((field) => wanted[field] !== undefined && !isFound(field));
  return {
    table: '"Log"',
    alias: 'm',
    rowKey: ['"seq"'],
    order: fields[0] === 'id' ? [] : ['m."dateTime"', 'm."id"'],
    cursor: `${ms} || ' ' || m."id"`,
    served,
    rest: (sql) => rest.map((field) => `m."${field}" = ${sql.value(wanted[field])}`),
  };
}

/** Equality in the words of an index, which holds the beginning of each value. */
function inIndex(sql: SqlValues, isPostgres: boolean, field: FilterField, value: string): string[] {
  if (field === 'id') return [`m."id" = ${sql.value(value)}`];
  const key = isPostgres ? `left(m."${field}", ${KEY_LENGTH})` : `substr(m."${field}", 1, ${KEY_LENGTH})`;
  return [`${key} = ${sql.value(indexKey(value, KEY_LENGTH))}`, `m."${field}" IS NOT NULL`];
}

/**
 * Whether other values begin as this one does. Of others, to compare the whole too would make PostgreSQL expect too few rows,
 * and sort them all.
 */
function isCutInIndex(field: FilterField, value: string): boolean {
  return field !== 'id' && Array.from(value.slice(0, 2 * KEY_LENGTH)).length >= KEY_LENGTH;
}

const rowOf = (sql: SqlValues, { dateTime, id }: LogPosition): string => `(${sql.time(dateTime)}, ${sql.value(id)})`;

/** After an id that is bytes, which SQLite puts above all texts, come all records of that time. */
export function cursorOf({ dateTime, id }: LogPosition): string {
  return `${dateTime.getTime()} ${typeof id === 'string' ? id : ABOVE_ALL_TEXTS}`;
}

function positionOf(cursor: string): LogPosition {
  const [time, id] = cursor.split(' ') as [string, string];
  return { dateTime: new Date(Number(time)), id };
}

/** A record by its place, without its texts. */
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
 * The latest record of each attribute id of a document up to a time, in the order of these ids, or the first `limit` that come.
 * Walks the document in steps, and calls `onStep` between them, since one document can have most records of a log.
 */
export async function latestOfAttributes(
  prisma: PrismaService,
  isPostgres: boolean,
  { tenantId, documentId, documentType, at }: DocumentQuery,
  { limit, onStep }: { limit: number; onStep: () => Promise<void> },
): Promise<SizedLog[]> {
  const walk = walkOf(isPostgres, tenantId, { documentId, to: at }, ['documentId']);
  const latest = new Map<unknown, SizedLog>();
  for (let after: string | undefined; ;) {
    const sql = new SqlValues(isPostgres);
    const isWanted = `m."documentId" = ${sql.value(documentId)} AND m."documentType" = ${sql.value(documentType)} AND m."attributeId" IS NOT NULL`;
    const columns = `m."attributeId", ${exactly(isPostgres, 'm."seq"')}, ${BYTES}, ${walk.cursor}, CASE WHEN ${isWanted} THEN 1 ELSE 0 END`;
    const text = `SELECT ${columns} ${entries(walk, sql, { after })} LIMIT ${STEP_ENTRIES}`;
    const rows = await prisma.$queryArrays(text, sql.values);
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

/** Records by their places, in that order. */
export async function logsOfSeqs(
  prisma: PrismaService,
  isPostgres: boolean,
  tenantId: string,
  seqs: bigint[],
): Promise<ShownLogRow[]> {
  const sql = new SqlValues(isPostgres);
  const own = sql.value(tenantId);
  const text = `SELECT ${shownColumns(isPostgres, 'seq')} FROM "Log" WHERE "tenantId" = ${own} AND "seq" IN (${seqs.map((seq) => sql.value(seq)).join()})`;
  const rows = (await prisma.$queryArrays(text, sql.values)) as Cells[];
  const bySeq = new Map(rows.map((row) => [String(row.at(-1)), row]));
  return seqs
    .map((seq) => bySeq.get(String(seq)))
    .filter((row) => row !== undefined)
    .map(shownRow);
}
