import { type PageStatement, type PageWanted, readPage } from '../../common/bounds/page-rows.js';
import type { PrismaService } from '../../common/database/prisma.service.js';
import { type SizedStatement, sizedColumns, type Wanted } from '../../common/database/sized-rows.js';
import { SqlValues } from '../../common/database/sql-values.js';
import { FILTER_FIELDS, type LogsWanted } from './inputs/logs-filter.rules.js';
import { type Cells, LOG_BYTES, SHOWN_COUNT, shownColumns, shownRow, type ShownLogRow } from './log-row.js';
import { exactly, seqWithin } from './log-seq.queries.js';

/** How many records of the tenant one page looks at, whatever of them is wanted. */
const MAX_LOOKED_AT = 5_000;

const LONG = ['"comment"', '"custom1"', '"custom2"', '"details"'];

/** A part of a tenant's records in the order of writing. */
export interface WrittenPart {
  tenantId: string;
  wanted: LogsWanted;
  after: bigint;
  upTo: bigint;
}

interface WrittenPage {
  rows: ShownLogRow[];
  /** Up to where nothing that is wanted is missing. */
  end: bigint;
}

export async function writtenPage(
  prisma: PrismaService,
  isPostgres: boolean,
  asked: WrittenPart,
  page: PageWanted,
): Promise<WrittenPage> {
  const part = { ...asked, upTo: await endOfLook(prisma, isPostgres, asked) };
  const statement: PageStatement = (limit, columns) => writtenStatement(isPostgres, part, limit, columns);
  const { rows, more } = await readPage(prisma, [statement], page);
  const cells = rows as Cells[];
  return { rows: cells.map(shownRow), end: more ? BigInt(cells.at(-1)![SHOWN_COUNT]!) : part.upTo };
}

/** The place of the last record that is looked at; the end, where so few are left or nothing has to be passed over. */
async function endOfLook(prisma: PrismaService, isPostgres: boolean, part: WrittenPart): Promise<bigint> {
  const sql = new SqlValues(isPostgres);
  const filters = filtersOf(sql, part.wanted);
  if (filters.length === 0) return part.upTo;
  const { text, values } = placeStatement(isPostgres, part);
  const [row] = (await prisma.$queryArrays(text, values)) as Cells[];
  return row ? BigInt(row[0]!) : part.upTo;
}

/** Apart from its execution so that a test can have it explained; so is the next. */
export function placeStatement(isPostgres: boolean, part: WrittenPart): { text: string; values: unknown[] } {
  const sql = new SqlValues(isPostgres);
  const text = `SELECT ${exactly(isPostgres, '"seq"')} FROM ${tableOf(isPostgres)} WHERE ${placeOf(sql, part)}
    ORDER BY "seq" LIMIT 1 OFFSET ${sql.value(MAX_LOOKED_AT - 1)}`;
  return { text, values: sql.values };
}

/** Walks the tenant's index of places; the other conditions are looked at for each record on the way. */
export function writtenStatement(
  isPostgres: boolean,
  part: WrittenPart,
  limit: number,
  columns: Wanted = 'rows',
): SizedStatement {
  const sql = new SqlValues(isPostgres);
  const place = placeOf(sql, part);
  const filters = filtersOf(sql, part.wanted);
  const all = shownColumns(isPostgres, 'seq');
  const shown = sizedColumns(isPostgres, columns, limit, { all, key: '"id"', bytes: LOG_BYTES, long: LONG });
  // Each planner is told in its own words: PostgreSQL's moves no condition into a query with a limit.
  const from = isPostgres
    ? `(SELECT * FROM ${tableOf(isPostgres)} WHERE ${place} ORDER BY "seq" LIMIT ${MAX_LOOKED_AT}) AS l`
    : tableOf(isPostgres);
  const conditions = isPostgres ? filters : [place, ...filters];
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  const text = `SELECT ${shown} FROM ${from} ${where} ORDER BY "seq" LIMIT ${sql.value(limit)}`;
  return { text, values: sql.values, wanted: columns };
}

const tableOf = (isPostgres: boolean): string => (isPostgres ? '"Log" l' : '"Log" l INDEXED BY "Log_tenantId_seq_idx"');

const placeOf = (sql: SqlValues, part: WrittenPart): string =>
  `"tenantId" = ${sql.value(part.tenantId)} AND ${seqWithin(sql, '"seq"', part)}`;

function filtersOf(sql: SqlValues, wanted: LogsWanted): string[] {
  const fields = FILTER_FIELDS.filter((field) => wanted[field] !== undefined);
  const filters = fields.map((field) => `"${field}" = ${sql.value(wanted[field])}`);
  if (wanted.from) filters.push(`"dateTime" >= ${sql.time(wanted.from)}`);
  if (wanted.to) filters.push(`"dateTime" <= ${sql.time(wanted.to)}`);
  return filters;
}
