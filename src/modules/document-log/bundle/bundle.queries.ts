import { LONG_STATEMENT } from '../../../common/database/long-statement.js';
import type { PrismaService } from '../../../common/database/prisma.service.js';
import { SqlValues } from '../../../common/database/sql-values.js';
import { FILTER_FIELDS, type LogsWanted } from '../inputs/logs-filter.rules.js';
import { type Cells, EDIT_BYTES, type EditContent, editColumns, editOf, LOG_BYTES, type LogContent } from '../log-row.js';
import { exactly, seqWithin } from '../log-seq.queries.js';
import { logsOfSeqs } from '../logs.queries.js';

/** A part of a tenant's leaves in the order of seq, and which of their contents are wanted. */
export interface LeafPart {
  tenantId: string;
  after: bigint;
  upTo: bigint;
  limit: number;
  wanted: LogsWanted;
}

/** A record or an edit without its content. */
export interface SizedLeaf {
  seq: bigint;
  id: string;
  /** Of an edit, the record that it is of. */
  logId: string | null;
  leafHash: string;
  bytes: number;
  isWanted: boolean;
}

export function logLeaves(prisma: PrismaService, isPostgres: boolean, part: LeafPart): Promise<SizedLeaf[]> {
  const sql = new SqlValues(isPostgres);
  const shown = `${exactly(isPostgres, 'l."seq"')}, l."id", NULL, l."leafHash", ${LOG_BYTES}, ${isWanted(sql, part.wanted)}`;
  return leaves(prisma, sql, `SELECT ${shown} FROM "Log" l ${within(sql, 'l', part)}`);
}

export function editLeaves(prisma: PrismaService, isPostgres: boolean, part: LeafPart): Promise<SizedLeaf[]> {
  const sql = new SqlValues(isPostgres);
  const shown = `${exactly(isPostgres, 'e."seq"')}, e."id", e."logId", e."leafHash", ${EDIT_BYTES}, ${isWanted(sql, part.wanted)}`;
  const join = '"LogEdit" e LEFT JOIN "Log" l ON l."id" = e."logId" AND l."tenantId" = e."tenantId"';
  return leaves(prisma, sql, `SELECT ${shown} FROM ${join} ${within(sql, 'e', part)}`);
}

function isWanted(sql: SqlValues, wanted: LogsWanted): string {
  const conditions = FILTER_FIELDS.filter((field) => wanted[field] !== undefined).map(
    (field) => `l."${field}" = ${sql.value(wanted[field])}`,
  );
  if (wanted.from) conditions.push(`l."dateTime" >= ${sql.time(wanted.from)}`);
  if (wanted.to) conditions.push(`l."dateTime" <= ${sql.time(wanted.to)}`);
  return conditions.length === 0 ? '1' : `CASE WHEN ${conditions.join(' AND ')} THEN 1 ELSE 0 END`;
}

function within(sql: SqlValues, alias: string, part: LeafPart): string {
  const seq = `${alias}."seq"`;
  return `WHERE ${alias}."tenantId" = ${sql.value(part.tenantId)} AND ${seqWithin(sql, seq, part)}
    ORDER BY ${seq} LIMIT ${sql.value(part.limit)}`;
}

async function leaves(prisma: PrismaService, { values }: SqlValues, text: string): Promise<SizedLeaf[]> {
  const rows = (await prisma.$queryArrays(LONG_STATEMENT + text, values)) as Cells[];
  return rows.map(([seq, id, logId, leafHash, bytes, wanted]) => ({
    seq: BigInt(seq!),
    id: String(id),
    logId: logId === null ? null : String(logId),
    leafHash: String(leafHash),
    bytes: Number(bytes),
    isWanted: Number(wanted) === 1,
  }));
}

/** Records as they were created, by id. */
export async function originalLogs(
  prisma: PrismaService,
  isPostgres: boolean,
  tenantId: string,
  seqs: bigint[],
): Promise<Map<string, LogContent>> {
  const rows = await logsOfSeqs(prisma, isPostgres, tenantId, seqs);
  const byId = new Map<string, LogContent>(rows.map((row) => [String(row.id), row]));
  const edited = rows.filter(({ editCount }) => editCount > 0).map(({ id }) => id);
  // After the records: of an edit that is stored in between, the value before it is what was read.
  for (const { logId, field, oldValue } of await firstEdits(prisma, isPostgres, edited)) {
    byId.set(logId, { ...byId.get(logId)!, [field]: oldValue });
  }
  return byId;
}

/** The first edit of each field of these records, which says what the field was before. */
async function firstEdits(prisma: PrismaService, isPostgres: boolean, ids: string[]) {
  if (ids.length === 0) return [];
  const sql = new SqlValues(isPostgres);
  const rows = (await prisma.$queryArrays(
    `${LONG_STATEMENT}SELECT "logId", "field", "oldValue" FROM "LogEdit" WHERE "seq" IN (
      SELECT min("seq") FROM "LogEdit" WHERE "logId" IN (${ids.map((id) => sql.value(id)).join()}) GROUP BY "logId", "field"
    )`,
    sql.values,
  )) as Cells[];
  return rows.map(([logId, field, oldValue]) => ({
    logId: logId as string,
    field: String(field),
    oldValue: oldValue as string | null,
  }));
}

/** Edits by id. */
export async function editsOfSeqs(
  prisma: PrismaService,
  isPostgres: boolean,
  tenantId: string,
  seqs: bigint[],
): Promise<Map<string, EditContent>> {
  const sql = new SqlValues(isPostgres);
  const own = sql.value(tenantId);
  const rows = (await prisma.$queryArrays(
    `${LONG_STATEMENT}SELECT ${editColumns(isPostgres)} FROM "LogEdit"
     WHERE "tenantId" = ${own} AND "seq" IN (${seqs.map((seq) => sql.value(seq)).join()})`,
    sql.values,
  )) as Cells[];
  return new Map(rows.map((cells) => [String(cells[0]), editOf(cells)]));
}
