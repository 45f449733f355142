import { type PageStatement, type PageWanted, readPage } from '../../../common/lists/page-rows.js';
import type { Database } from '../../../common/database/database.js';
import { sizedColumns, type SizedStatement, type Wanted } from '../../../common/database/sql/sized-rows.js';
import { allOf, raw, scan, sql, type Sql } from '../../../common/database/sql/sql.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import type { LogsWanted } from '../records/logs-filter.input.js';
import { type Cells, LOG_SIZES, READ_COUNT, readColumns, type ReadLogRow, readRow } from '../records/log-row.js';
import { filterConditions, seqWithin } from '../records/records.queries.js';
import { MAX_EXAMINED } from './log-results.model.js';

/** Range of a tenant's records in the order of writing. */
export interface WrittenRange {
  tenantId: string;
  wanted: LogsWanted;
  after: bigint;
  upTo: bigint;
}

interface WrittenPage {
  rows: ReadLogRow[];
  /** Seq of each row. */
  seqs: bigint[];
  /** Last seq that the page covers. */
  end: bigint;
}

export async function writtenPage(database: Database, asked: WrittenRange, page: PageWanted): Promise<WrittenPage> {
  const range = { ...asked, upTo: await lastExamined(database, asked) };
  const statement: PageStatement = (limit, columns) => writtenStatement(database.dialect, range, limit, columns);
  const { rows, more } = await readPage(database.of(range.tenantId), [statement], page);
  const cells = rows as Cells[];
  const seqs = cells.map((row) => BigInt(row[READ_COUNT]!));
  return { rows: cells.map(readRow), seqs, end: more ? seqs.at(-1)! : range.upTo };
}

/** Returns the seq of the last record to examine: the end of the range if fewer records remain, or without a filter. */
async function lastExamined(database: Database, range: WrittenRange): Promise<bigint> {
  if (filterConditions(database.dialect, range.wanted).length === 0) return range.upTo;
  const [row] = (await database.of(range.tenantId).$cells(examinedStatement(database.dialect, range))) as Cells[];
  return row ? BigInt(row[0]!) : range.upTo;
}

/** Exported for a query plan test, like the next statement. */
export function examinedStatement(dialect: Dialect, range: WrittenRange): Sql {
  return scan(sql`SELECT ${raw(dialect.exactly('"seq"'))} FROM ${tableOf(dialect)} WHERE ${placeOf(range)}
    ORDER BY "seq" LIMIT 1 OFFSET ${MAX_EXAMINED - 1}`);
}

/** Scans the tenant's index of seqs, and tests each record against the filter. */
export function writtenStatement(dialect: Dialect, range: WrittenRange, limit: number, wanted: Wanted = 'rows'): SizedStatement {
  const place = placeOf(range);
  const filters = filterConditions(dialect, range.wanted);
  const all = readColumns(dialect, 'seq');
  const columns = sizedColumns(dialect, wanted, limit, { all, ...LOG_SIZES });
  // Forces that index: PostgreSQL pushes no condition into a subquery with a limit.
  const from = dialect.pick({
    sqlite: sql`${tableOf(dialect)} WHERE ${allOf([place, ...filters])}`,
    postgresql: sql`(SELECT * FROM ${tableOf(dialect)} WHERE ${place} ORDER BY "seq" LIMIT ${raw(String(MAX_EXAMINED))}) AS l
      WHERE ${allOf(filters)}`,
  });
  return { statement: scan(sql`SELECT ${columns} FROM ${from} ORDER BY "seq" LIMIT ${limit}`), wanted };
}

const tableOf = (dialect: Dialect): Sql => sql`"Log" l ${dialect.indexedBy('Log_tenantId_seq_idx')}`;

const placeOf = (range: WrittenRange): Sql => sql`"tenantId" = ${range.tenantId} AND ${seqWithin('"seq"', range)}`;
