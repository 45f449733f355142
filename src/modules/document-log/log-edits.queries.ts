import type { PrismaService } from '../../common/database/prisma.service.js';
import { SqlValues } from '../../common/database/sql-values.js';
import { type Cells, type EditContent, editColumns, editOf } from './log-row.js';
import { exactly, seqWithin } from './log-seq.queries.js';

interface EditsWanted {
  /** Of these records. */
  ids: string[];
  after: bigint;
  upTo: bigint;
  limit: number;
}

/** Edits in the order of writing. */
export async function editsOfLogs(
  prisma: PrismaService,
  isPostgres: boolean,
  wanted: EditsWanted,
): Promise<(EditContent & { seq: bigint })[]> {
  const sql = new SqlValues(isPostgres);
  const ids = wanted.ids.map((id) => sql.value(id)).join();
  const text = `SELECT ${editColumns(isPostgres)},${exactly(isPostgres, '"seq"')} FROM "LogEdit"
    WHERE "logId" IN (${ids}) AND ${seqWithin(sql, '"seq"', wanted)} ORDER BY "seq" LIMIT ${sql.value(wanted.limit)}`;
  const rows = (await prisma.$queryArrays(text, sql.values)) as Cells[];
  return rows.map((row) => ({ ...editOf(row), seq: BigInt(row.at(-1)!) }));
}
