import { LONG_STATEMENT } from '../../common/database/long-statement.js';
import { type PageStatement, type PageWanted, readPage } from '../../common/bounds/page-rows.js';
import type { PrismaService } from '../../common/database/prisma.service.js';
import { bytesOf, type SizedStatement, sizedColumns, type Wanted } from '../../common/database/sized-rows.js';
import { SqlValues } from '../../common/database/sql-values.js';
import { indexKey } from '../../common/validation/index-key.js';
import { FILTER_FIELDS, type FilterField, type LogsWanted } from './inputs/logs-filter.rules.js';
import { type Cells, shownColumns, shownRow, type ShownLogRow } from './log-row.js';
import { exactly } from './log-seq.queries.js';

/** How many characters of a text the indexes hold; both databases count code points. */
const KEY_LENGTH = 100;

/** What any time that can be stored is between. */
const FIRST = new Date(-8.64e15);
const LAST = new Date(8.64e15);

/** Where a page begins: after this record. */
export interface LogPosition {
  dateTime: Date;
  id: string;
}

export interface LogsQuery {
  tenantId: string;
  wanted: LogsWanted;
  after: LogPosition | undefined;
  limit: number;
  /** Whether a page may take long to find, since nobody waits for it alone. */
  isLong?: boolean;
}

/**
 * The field whose index is walked, the most selective first. Only its key is part of the query: without it the planners
 * would join indexes and sort, or guess.
 */
const LEADING: FilterField[] = ['documentId', 'custom1', 'authorId', 'custom2', 'attributeId', 'action', 'documentType'];

/** Newest event first; walks one index from where the page begins. */
export async function pageOfLogs(
  prisma: PrismaService,
  isPostgres: boolean,
  query: Omit<LogsQuery, 'limit'>,
  page: PageWanted,
): Promise<{ rows: ShownLogRow[]; more: boolean }> {
  const statement: PageStatement = (limit, columns) => {
    const made = pageStatement(isPostgres, { ...query, limit }, columns);
    return query.isLong ? { ...made, text: LONG_STATEMENT + made.text } : made;
  };
  const { rows, more } = await readPage(prisma, [statement], page);
  return { rows: (rows as Cells[]).map(shownRow), more };
}

const BYTES = bytesOf(
  ['documentId', 'documentType', 'attributeId', 'authorId', 'action', 'comment', 'custom1', 'custom2', 'details'].map(
    (name) => `"${name}"`,
  ),
);

const LONG = ['"comment"', '"custom1"', '"custom2"', '"details"'];

/** The statement of a page, apart from its execution so that a test can have it explained. */
export function pageStatement(
  isPostgres: boolean,
  { tenantId, wanted, after, limit }: LogsQuery,
  columns: Wanted = 'rows',
): SizedStatement {
  const sql = new Dialect(isPostgres);
  const leading = wanted.id === undefined ? leadingFields(wanted) : [];
  const conditions = [`"tenantId" = ${sql.value(tenantId)}`];
  for (const field of FILTER_FIELDS) {
    const value = wanted[field];
    if (value === undefined) continue;
    if (leading.includes(field)) conditions.push(...sql.indexed(field, value));
    else conditions.push(`"${field}" = ${sql.value(value)}`);
  }
  if (wanted.from) conditions.push(`"dateTime" >= ${sql.time(wanted.from)}`);
  if (wanted.to && !after) conditions.push(`"dateTime" <= ${sql.time(wanted.to)}`); // a later page begins below it
  // What was changed to no time has no place in the order of times, and is found by its id; the plus keeps SQLite's planner off.
  if (wanted.id === undefined) {
    conditions.push(`${isPostgres ? '' : '+'}"dateTime" BETWEEN ${sql.time(FIRST)} AND ${sql.time(LAST)}`);
  }
  if (after) conditions.push(`("dateTime", "id") < (${sql.time(after.dateTime)}, ${sql.value(after.id)})`);
  // An id is of one record at most, which needs no order.
  const order = wanted.id === undefined ? 'ORDER BY "dateTime" DESC, "id" DESC' : '';
  const shown = sizedColumns(isPostgres, columns, limit, {
    all: shownColumns(isPostgres),
    key: '"id"',
    bytes: BYTES,
    long: LONG,
  });
  const text = `SELECT ${shown} FROM "Log" WHERE ${conditions.join(' AND ')} ${order} LIMIT ${sql.value(limit)}`;
  return { text, values: sql.values, wanted: columns };
}

function leadingFields(wanted: LogsWanted): FilterField[] {
  const leading = LEADING.find((field) => wanted[field] !== undefined);
  if (leading === undefined) return [];
  return leading === 'documentId' && wanted.attributeId !== undefined ? [leading, 'attributeId'] : [leading];
}

/** A record by its place, without its texts. */
export interface SizedLog {
  seq: bigint;
  bytes: number;
}

/** The latest record of each attribute id of a document up to a time, in the order of these ids. */
export async function latestOfAttributes(
  prisma: PrismaService,
  isPostgres: boolean,
  { tenantId, documentId, documentType, at }: { tenantId: string; documentId: string; documentType: string; at: Date },
  limit: number,
): Promise<SizedLog[]> {
  const sql = new Dialect(isPostgres);
  const text = `
    SELECT ${exactly(isPostgres, '"seq"')}, "bytes" FROM (
      SELECT "seq", "attributeId", ${BYTES} AS "bytes",
        row_number() OVER (PARTITION BY "attributeId" ORDER BY "dateTime" DESC, "id" DESC) AS "age" FROM "Log"
      WHERE "tenantId" = ${sql.value(tenantId)} AND ${sql.indexed('documentId', documentId).join(' AND ')} AND "documentType" = ${sql.value(documentType)}
        AND "attributeId" IS NOT NULL AND "dateTime" <= ${sql.time(at)}
    ) AS "dated" WHERE "age" = 1 ORDER BY "attributeId" LIMIT ${sql.value(limit)}`;
  const rows = await prisma.$queryArrays(text, sql.values);
  return (rows as Cells[]).map(([seq, bytes]) => ({ seq: BigInt(seq!), bytes: Number(bytes) }));
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

/** The words of the indexes of the log. */
class Dialect extends SqlValues {
  /**
   * Equality in the words of an index, which holds the beginning of each value. What is shorter than that is equal when its
   * beginning is; saying it twice would make PostgreSQL expect too few rows, and sort them all.
   */
  indexed(field: FilterField, value: string): string[] {
    const beginning = indexKey(value, KEY_LENGTH);
    const key = this.isPostgres ? `left("${field}", ${KEY_LENGTH})` : `substr("${field}", 1, ${KEY_LENGTH})`;
    const conditions = [`${key} = ${this.value(beginning)}`];
    conditions.push(Array.from(beginning).length < KEY_LENGTH ? `"${field}" IS NOT NULL` : `"${field}" = ${this.value(value)}`);
    return conditions;
  }
}
