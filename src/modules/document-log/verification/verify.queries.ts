import { allOf, long, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import type { TenantDatabase } from '../../../common/database/tenant-database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { eventLoop } from '../../../common/scheduling/event-loop.js';
import { PAGE_BYTES } from '../../../common/lists/page.js';
import type { Database } from '../../../common/database/database.js';
import type { Rows } from '../../../common/database/rows.js';
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
  READ_COUNT,
  readColumns,
  readRow,
} from '../records/log-row.js';
import { filterConditions, seqWithin } from '../records/records.queries.js';
import type { LogsWanted } from '../records/logs-filter.input.js';
import { MAX_BLOCK } from './seal.model.js';

export interface CheckedEdit extends LogEditRow {
  /** True if the record of the edit was erased or removed. */
  isOwnerGone: boolean;
}

/** Consistent snapshot of a record and its edits, oldest first. */
export interface CheckedLog extends Omit<LogRow, 'idempotencyKey' | 'inputHash'> {
  edits: CheckedEdit[];
}

/** Range of rows by seq. */
export interface RowRange {
  after: bigint;
  upTo: bigint;
  limit: number;
  /** Bounds of the creation time, inclusive. Without them, includes rows with invalid times. */
  from?: Date | null;
  to?: Date | null;
}

const OF_SEALS = ['seq', 'leafHash', 'mac', 'salt', 'personalHash'];
/** Pads the columns of an edit to those of a record, for a UNION. */
const NOT_OF_EDITS = Array.from({ length: READ_COUNT - EDIT_COUNT }, () => 'NULL').join();
const OWNER = '"Log" o WHERE o."id" = "LogEdit"."logId" AND o."tenantId" = "LogEdit"."tenantId" AND o."erasedAt" IS NULL';
const IS_OWNER_GONE = `CASE WHEN EXISTS (SELECT 1 FROM ${OWNER}) THEN 0 ELSE 1 END`;
const checkedColumns = (dialect: Dialect): Sql =>
  raw(`${editColumns(dialect)},${NOT_OF_EDITS},${columns(dialect, OF_SEALS)},${IS_OWNER_GONE}`);

const WITH_EDITS = `${LOG_BYTES} + (SELECT coalesce(sum(${EDIT_BYTES}), 0) FROM "LogEdit" e WHERE e."logId" = l."id")`;

/**
 * Returns the first records of a range with their edits, up to a page of bytes. Reads both in one statement: an edit stored between two
 * reads would look like tampering.
 */
export async function logsWithEdits(database: TenantDatabase, asked: RowRange): Promise<CheckedLog[]> {
  const { dialect } = database;
  const range = await upToAPage(database, asked, { table: '"Log" l', bytes: WITH_EDITS, time: '"createdAt"' });
  if (!range) return [];
  const rows = await database.$cells(
    long(sql`
    WITH "part" AS MATERIALIZED (SELECT * FROM "Log" ${within(database, range, '"createdAt"')})
    SELECT ${raw(`${readColumns(dialect, ...OF_SEALS)},0`)} FROM "part" UNION ALL
    SELECT ${checkedColumns(dialect)} FROM "LogEdit" WHERE "logId" IN (SELECT "id" FROM "part")`),
  );
  const isLog = (row: Cells): boolean => row[READ_COUNT - 1] !== null;
  const logs = (rows as Cells[]).filter(isLog).map(asLog).sort(bySeq);
  if (logs.length < rows.length) {
    const byId = new Map(logs.map((log) => [log.id, log]));
    const edits = (rows as Cells[]).filter((row) => !isLog(row)).map(asEdit);
    for (const edit of edits.sort(bySeq)) byId.get(edit.logId)?.edits.push(edit);
  }
  return logs;
}

export async function editsInOrder(database: TenantDatabase, asked: RowRange): Promise<CheckedEdit[]> {
  const { dialect } = database;
  const range = await upToAPage(database, asked, { table: '"LogEdit" e', bytes: EDIT_BYTES, time: '"dateTime"' });
  if (!range) return [];
  const rows = await database.$cells(
    long(sql`
    SELECT ${checkedColumns(dialect)} FROM "LogEdit" ${within(database, range, '"dateTime"')}`),
  );
  return (rows as Cells[]).map(asEdit);
}

/** Narrows a range to a page of bytes, at least one row. Returns undefined for an empty range. */
async function upToAPage(
  database: TenantDatabase,
  range: RowRange,
  { table, bytes, time }: { table: string; bytes: string; time: string },
): Promise<RowRange | undefined> {
  const { dialect } = database;
  const columns = raw(`${dialect.exactly('"seq"')}, ${bytes}`);
  const rows = (await database.$cells(
    long(sql`
    SELECT ${columns} FROM ${raw(table)} ${within(database, range, time)}`),
  )) as Cells[];
  let [total, count] = [0, 0];
  for (const [, size] of rows) {
    if (count > 0 && total + Number(size) > PAGE_BYTES) break;
    total += Number(size);
    count++;
  }
  while (eventLoop.readBudgetExceeded) await eventLoop.yield();
  eventLoop.countRead(total);
  return count === 0 ? undefined : { ...range, upTo: BigInt(rows[count - 1]![0]!) };
}

const asLog = (row: Cells): CheckedLog => Object.assign(readRow(row), ofSeals(row), { edits: [] });

const asEdit = (row: Cells): CheckedEdit => ({ ...ofSeals(row), ...editOf(row), isOwnerGone: Number(row.at(-1)) === 1 });

function ofSeals(row: Cells) {
  const [seq, ...texts] = row.slice(READ_COUNT);
  const [leafHash, mac, salt, personalHash] = texts as string[];
  return { seq: BigInt(seq!), leafHash: leafHash!, mac: mac!, salt: salt ?? null, personalHash: personalHash ?? null };
}

/** Restores the order of seqs, which UNION ALL does not guarantee. */
const bySeq = (a: { seq: bigint }, b: { seq: bigint }): number => (a.seq < b.seq ? -1 : 1);

function within({ dialect, tenantId }: TenantDatabase, range: RowRange, timeColumn: string): Sql {
  const { from, to, limit } = range;
  const time = raw(timeColumn);
  const conditions = [sql`"tenantId" = ${tenantId}`, seqWithin('"seq"', range)];
  if (from) conditions.push(sql`${time} >= ${dialect.time(from)}`);
  if (to) conditions.push(sql`${time} <= ${dialect.time(to)}`);
  return sql`WHERE ${allOf(conditions)} ORDER BY "seq" LIMIT ${limit}`;
}

interface LeafSpan {
  tenantId: string;
  after: bigint;
  upTo: bigint;
}

/** Returns the seq of a record. */
export async function seqOfLog(database: Database, tenantId: string, id: string): Promise<bigint | undefined> {
  const seq = raw(database.dialect.exactly('"seq"'));
  const statement = sql`SELECT ${seq} FROM "Log" WHERE "id" = ${id} AND "tenantId" = ${tenantId}`;
  const [row] = (await database.of(tenantId).$cells(statement)) as Cells[];
  return row && BigInt(row[0]!);
}

/** Returns the seq of an edit, and the id of its record. */
export async function seqOfEdit(database: Database, tenantId: string, id: string) {
  const seq = raw(database.dialect.exactly('"seq"'));
  const statement = sql`SELECT ${seq},"logId" FROM "LogEdit" WHERE "id" = ${id} AND "tenantId" = ${tenantId}`;
  const [row] = (await database.of(tenantId).$cells(statement)) as Cells[];
  return row && { seq: BigInt(row[0]!), logId: String(row[1]) };
}

/** Returns the leaf hashes of a tenant's records, or edits, by id within a range of seqs. */
export async function leafHashes(database: Database, table: 'Log' | 'LogEdit', range: LeafSpan): Promise<Map<string, string>> {
  const statement = sql`
    SELECT "id","leafHash" FROM ${raw(`"${table}"`)} WHERE "tenantId" = ${range.tenantId} AND ${seqWithin('"seq"', range)}
    ORDER BY "seq" LIMIT ${MAX_BLOCK}`;
  return new Map((await database.of(range.tenantId).$cells(statement)) as [string, string][]);
}

/** Range of a tenant's leaves by seq, with a filter of the contents to include. */
export interface LeafRange extends LeafSpan {
  limit: number;
  wanted: LogsWanted;
}

/** Record or edit without content. */
export interface SizedLeaf {
  seq: bigint;
  id: string;
  /** Record id of an edit. */
  logId: string | null;
  leafHash: string;
  bytes: number;
  isWanted: boolean;
}

export function logLeaves(database: Database, range: LeafRange): Promise<SizedLeaf[]> {
  const columns = raw(`${database.dialect.exactly('l."seq"')}, l."id", NULL, l."leafHash", ${LOG_BYTES}`);
  return leaves(
    database.of(range.tenantId),
    sql`SELECT ${columns}, ${isWanted(database, range.wanted)} FROM "Log" l ${leavesWithin('l', range)}`,
  );
}

export function editLeaves(database: Database, range: LeafRange): Promise<SizedLeaf[]> {
  const columns = raw(`${database.dialect.exactly('e."seq"')}, e."id", e."logId", e."leafHash", ${EDIT_BYTES}`);
  return leaves(
    database.of(range.tenantId),
    sql`SELECT ${columns}, ${isWanted(database, range.wanted)}
      FROM "LogEdit" e LEFT JOIN "Log" l ON l."id" = e."logId" AND l."tenantId" = e."tenantId" ${leavesWithin('e', range)}`,
  );
}

function isWanted({ dialect }: Database, wanted: LogsWanted): Sql {
  const conditions = filterConditions(dialect, wanted);
  return conditions.length === 0 ? sql`1` : sql`CASE WHEN ${allOf(conditions)} THEN 1 ELSE 0 END`;
}

function leavesWithin(alias: string, range: LeafRange): Sql {
  const seq = `${alias}."seq"`;
  return sql`WHERE ${raw(`${alias}."tenantId"`)} = ${range.tenantId} AND ${seqWithin(seq, range)}
    ORDER BY ${raw(seq)} LIMIT ${range.limit}`;
}

async function leaves(database: Rows, statement: Sql): Promise<SizedLeaf[]> {
  const rows = (await database.$cells(long(statement))) as Cells[];
  return rows.map(([seq, id, logId, leafHash, bytes, wanted]) => ({
    seq: BigInt(seq!),
    id: String(id),
    logId: logId === null ? null : String(logId),
    leafHash: String(leafHash),
    bytes: Number(bytes),
    isWanted: Number(wanted) === 1,
  }));
}
