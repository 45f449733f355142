import { LONG_STATEMENT } from '../../../common/database/long-statement.js';
import type { PrismaService } from '../../../common/database/prisma.service.js';
import { SqlValues } from '../../../common/database/sql-values.js';
import { type Cells, columns, type LogEditRow, type LogRow, SHOWN_COUNT, shownColumns, shownRow, timeOf } from '../log-row.js';

export type CheckedEdit = LogEditRow;

/** A record with all edits of it, oldest first, as they were at one moment. */
export interface CheckedLog extends Omit<LogRow, 'idempotencyKey' | 'inputHash'> {
  edits: CheckedEdit[];
}

/** A part of a tenant's rows in the order of seq. */
export interface Part {
  tenantId: string;
  after: bigint;
  upTo: bigint;
  limit: number;
  /** When they were created; both inclusive. Without them, rows of times that no Date can be are found too. */
  from?: Date | null;
  to?: Date | null;
}

const OF_SEALS = ['seq', 'leafHash', 'mac'];
/** Edits stand in the places of a record's texts and time, so that one statement can answer with both. */
const EDIT = ['id', 'tenantId', 'logId', 'field', 'dateTime', 'oldValue', 'newValue'];
const NOT_OF_EDITS = Array.from({ length: SHOWN_COUNT - EDIT.length }, () => 'NULL').join();
const editColumns = (isPostgres: boolean): string =>
  `${columns(EDIT, isPostgres)},${NOT_OF_EDITS},${columns(OF_SEALS, isPostgres)}`;

/** In one statement: an edit that is stored between two reads would look like a change of the record. */
export async function logsWithEdits(prisma: PrismaService, isPostgres: boolean, part: Part): Promise<CheckedLog[]> {
  const { where, values } = condition(isPostgres, part, 'createdAt');
  const rows = await prisma.$queryArrays(
    `${LONG_STATEMENT}WITH "part" AS MATERIALIZED (SELECT * FROM "Log" ${where})
     SELECT ${shownColumns(isPostgres, ...OF_SEALS)} FROM "part" UNION ALL
     SELECT ${editColumns(isPostgres)} FROM "LogEdit" WHERE "logId" IN (SELECT "id" FROM "part")`,
    values,
  );
  const isLog = (row: Cells): boolean => row[SHOWN_COUNT - 1] !== null;
  const logs = (rows as Cells[]).filter(isLog).map(asLog).sort(bySeq);
  if (logs.length < rows.length) {
    const byId = new Map(logs.map((log) => [log.id, log]));
    const edits = (rows as Cells[]).filter((row) => !isLog(row)).map(asEdit);
    for (const edit of edits.sort(bySeq)) byId.get(edit.logId)?.edits.push(edit);
  }
  return logs;
}

export async function editsInOrder(prisma: PrismaService, isPostgres: boolean, part: Part): Promise<CheckedEdit[]> {
  const { where, values } = condition(isPostgres, part, 'dateTime');
  const rows = await prisma.$queryArrays(`${LONG_STATEMENT}SELECT ${editColumns(isPostgres)} FROM "LogEdit" ${where}`, values);
  return (rows as Cells[]).map(asEdit);
}

const asLog = (row: Cells): CheckedLog => Object.assign(shownRow(row), ofSeals(row), { edits: [] });

const asEdit = (row: Cells): CheckedEdit => ({
  ...ofSeals(row),
  id: row[0] as string,
  tenantId: row[1] as string,
  logId: row[2] as string,
  field: row[3] as string,
  dateTime: timeOf(row[4]!),
  oldValue: row[5] as string | null,
  newValue: row[6] as string | null,
});

function ofSeals(row: Cells) {
  const [seq, leafHash, mac] = row.slice(SHOWN_COUNT);
  return { seq: BigInt(seq!), leafHash: leafHash as string, mac: mac as string };
}

/** They stand so already, as far as the databases promise nothing else. */
const bySeq = (a: { seq: bigint }, b: { seq: bigint }): number => (a.seq < b.seq ? -1 : 1);

function condition(isPostgres: boolean, { tenantId, after, upTo, from, to, limit }: Part, time: string) {
  const sql = new SqlValues(isPostgres);
  const where = [
    `WHERE "tenantId" = ${sql.value(tenantId)} AND "seq" > ${sql.value(after)} AND "seq" <= ${sql.value(upTo)}`,
    from ? `AND "${time}" >= ${sql.time(from)}` : '',
    to ? `AND "${time}" <= ${sql.time(to)}` : '',
    `ORDER BY "seq" LIMIT ${sql.value(limit)}`,
  ].join(' ');
  return { where, values: sql.values };
}
