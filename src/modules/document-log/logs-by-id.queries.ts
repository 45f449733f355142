import type { PrismaService } from '../../common/database/prisma.service.js';
import { SqlValues } from '../../common/database/sql-values.js';
import { type Cells, shownColumns, shownRow, type ShownLogRow } from './log-row.js';

/** Records by their ids, in no order. */
export async function logsOfIds(
  prisma: PrismaService,
  isPostgres: boolean,
  tenantId: string,
  ids: string[],
): Promise<ShownLogRow[]> {
  const sql = new SqlValues(isPostgres);
  const own = sql.value(tenantId);
  const text = `SELECT ${shownColumns(isPostgres)} FROM "Log" WHERE "tenantId" = ${own} AND "id" IN (${ids.map((id) => sql.value(id)).join()})`;
  return ((await prisma.$queryArrays(text, sql.values)) as Cells[]).map(shownRow);
}
