import { LONG_STATEMENT } from '../../../common/database/long-statement.js';
import type { PrismaService } from '../../../common/database/prisma.service.js';
import { SqlValues } from '../../../common/database/sql-values.js';
import { isTurnOver, noteRead, ownTurn } from '../../../common/bounds/read-turns.js';
import { PAGE_BYTES } from '../../../common/bounds/page-rows.js';
import {
  type Cells,
  columns,
  EDIT_BYTES,
  EDIT_COUNT,
  editColumns,
  editOf,
  LOG_BYTES,
  type LogEditRow,
  type LogRow,
  SHOWN_COUNT,
  shownColumns,
  shownRow,
} from '../log-row.js';
import { exactly, seqWithin } from '../log-seq.queries.js';

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
const NOT_OF_EDITS = Array.from({ length: SHOWN_COUNT - EDIT_COUNT }, () => 'NULL').join();
const checkedColumns = (isPostgres: boolean): string =>
  `${editColumns(isPostgres)},${NOT_OF_EDITS},${columns(OF_SEALS, isPostgres)}`;

const WITH_EDITS = `${LOG_BYTES} + (SELECT coalesce(sum(${EDIT_BYTES}), 0) FROM "LogEdit" e WHERE e."logId" = l."id")`;

/**
 * The first of them, as far as they and their edits make a page. In one statement: an edit that is stored between two reads
 * would look like a change of the record.
 */
export async function logsWithEdits(prisma: PrismaService, isPostgres: boolean, asked: Part): Promise<CheckedLog[]> {
  const part = await upToAPage(prisma, isPostgres, asked, { table: '"Log" l', bytes: WITH_EDITS, time: 'createdAt' });
  if (!part) return [];
  const { where, values } = condition(isPostgres, part, 'createdAt');
  const rows = await prisma.$queryArrays(
    `${LONG_STATEMENT}WITH "part" AS MATERIALIZED (SELECT * FROM "Log" ${where})
     SELECT ${shownColumns(isPostgres, ...OF_SEALS)} FROM "part" UNION ALL
     SELECT ${checkedColumns(isPostgres)} FROM "LogEdit" WHERE "logId" IN (SELECT "id" FROM "part")`,
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

export async function editsInOrder(prisma: PrismaService, isPostgres: boolean, asked: Part): Promise<CheckedEdit[]> {
  const part = await upToAPage(prisma, isPostgres, asked, { table: '"LogEdit" e', bytes: EDIT_BYTES, time: 'dateTime' });
  if (!part) return [];
  const { where, values } = condition(isPostgres, part, 'dateTime');
  const rows = await prisma.$queryArrays(`${LONG_STATEMENT}SELECT ${checkedColumns(isPostgres)} FROM "LogEdit" ${where}`, values);
  return (rows as Cells[]).map(asEdit);
}

/** The part of the rows that make a page, or of the first if that is larger; nothing where there are no rows. */
async function upToAPage(
  prisma: PrismaService,
  isPostgres: boolean,
  part: Part,
  { table, bytes, time }: { table: string; bytes: string; time: string },
): Promise<Part | undefined> {
  const { where, values } = condition(isPostgres, part, time);
  const text = `${LONG_STATEMENT}SELECT ${exactly(isPostgres, '"seq"')}, ${bytes} FROM ${table} ${where}`;
  const rows = (await prisma.$queryArrays(text, values)) as Cells[];
  let [total, count] = [0, 0];
  for (const [, size] of rows) {
    if (count > 0 && total + Number(size) > PAGE_BYTES) break;
    total += Number(size);
    count++;
  }
  while (isTurnOver()) await ownTurn();
  noteRead(total);
  return count === 0 ? undefined : { ...part, upTo: BigInt(rows[count - 1]![0]!) };
}

const asLog = (row: Cells): CheckedLog => Object.assign(shownRow(row), ofSeals(row), { edits: [] });

const asEdit = (row: Cells): CheckedEdit => ({ ...ofSeals(row), ...editOf(row) });

function ofSeals(row: Cells) {
  const [seq, leafHash, mac] = row.slice(SHOWN_COUNT);
  return { seq: BigInt(seq!), leafHash: leafHash as string, mac: mac as string };
}

/** They stand so already, as far as the databases promise nothing else. */
const bySeq = (a: { seq: bigint }, b: { seq: bigint }): number => (a.seq < b.seq ? -1 : 1);

function condition(isPostgres: boolean, part: Part, time: string) {
  const { tenantId, from, to, limit } = part;
  const sql = new SqlValues(isPostgres);
  const where = [
    `WHERE "tenantId" = ${sql.value(tenantId)} AND ${seqWithin(sql, '"seq"', part)}`,
    from ? `AND "${time}" >= ${sql.time(from)}` : '',
    to ? `AND "${time}" <= ${sql.time(to)}` : '',
    `ORDER BY "seq" LIMIT ${sql.value(limit)}`,
  ].join(' ');
  return { where, values: sql.values };
}
