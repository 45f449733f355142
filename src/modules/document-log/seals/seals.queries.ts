import type { PrismaService } from '../../../common/database/prisma.service.js';
import { SqlValues } from '../../../common/database/sql-values.js';
import type { Cells } from '../log-row.js';
import { exactly, seqWithin } from '../log-seq.queries.js';
import { MAX_BLOCK } from '../models/seal.model.js';
import { SEAL_LOCK } from './seal-lock.js';

/** A place in the order of records and in that of edits; the databases number both. */
export interface Position {
  seq: bigint;
  editSeq: bigint;
}

/** What the sealer reads of a new record or edit. */
export interface FreshLeaf {
  seq: bigint;
  tenantId: string;
  id: string;
  leafHash: string;
  mac: string;
}
export interface FreshEdit extends FreshLeaf {
  logId: string;
}

const LOCK_TIMEOUT_MS = '1000';

/**
 * How far everything is committed: no seq up to here can appear any more. It is the last that the database gave out, not
 * the greatest that a row has: one that was moved far ahead would take the sealer past all that come later.
 */
export async function committedUpTo(prisma: PrismaService, isPostgres: boolean): Promise<Position> {
  if (!isPostgres) {
    const lastOf = (table: string): string =>
      `(SELECT ${exactly(isPostgres, 'CAST("seq" AS INTEGER)')} FROM sqlite_sequence WHERE "name" = '${table}')`;
    const [row] = (await prisma.$queryArrays(`SELECT ${lastOf('Log')}, ${lastOf('LogEdit')}`, [])) as Cells[];
    return { seq: BigInt(row?.[0] ?? 0), editSeq: BigInt(row?.[1] ?? 0) };
  }
  // A writer that hangs must not stop all others, which queue behind this lock, for longer than the timeout.
  const [, , [row]] = await prisma.$transaction([
    prisma.$queryRaw`SELECT set_config('lock_timeout', ${LOCK_TIMEOUT_MS}, true)`,
    prisma.$executeRaw`SELECT pg_advisory_xact_lock(${SEAL_LOCK}::bigint)`,
    prisma.$queryRaw<Position[]>`SELECT
      (SELECT last_value FROM "Log_seq_seq") AS "seq", (SELECT last_value FROM "LogEdit_seq_seq") AS "editSeq"`,
  ]);
  return row!;
}

interface Part {
  after: bigint;
  upTo: bigint;
  limit: number;
}

export async function freshLogs(prisma: PrismaService, isPostgres: boolean, part: Part): Promise<FreshLeaf[]> {
  return (await freshRows(prisma, isPostgres, '"Log"', part)).map(asLeaf);
}

export async function freshEdits(prisma: PrismaService, isPostgres: boolean, part: Part): Promise<FreshEdit[]> {
  const rows = await freshRows(prisma, isPostgres, '"LogEdit"', part);
  return rows.map((row) => ({ ...asLeaf(row), logId: textOf(row.at(-1)) }));
}

async function freshRows(prisma: PrismaService, isPostgres: boolean, table: string, part: Part): Promise<Cells[]> {
  const sql = new SqlValues(isPostgres);
  const logId = table === '"LogEdit"' ? ',"logId"' : '';
  const text = `SELECT ${exactly(isPostgres, '"seq"')},"tenantId","id","leafHash","mac"${logId} FROM ${table}
    WHERE ${seqWithin(sql, '"seq"', part)} ORDER BY "seq" LIMIT ${sql.value(part.limit)}`;
  return prisma.$queryArrays(text, sql.values) as Promise<Cells[]>;
}

const asLeaf = ([seq, tenantId, id, leafHash, mac]: Cells): FreshLeaf => ({
  seq: BigInt(seq!),
  tenantId: textOf(tenantId),
  id: textOf(id),
  leafHash: textOf(leafHash),
  mac: textOf(mac),
});

/** On SQLite bytes can stand where a text should: then no MAC is right. */
const textOf = (cell: Cells[number] | undefined): string => (typeof cell === 'string' ? cell : '');

/** The place of a record in the order of records. */
export async function placeOfLog(
  prisma: PrismaService,
  isPostgres: boolean,
  tenantId: string,
  id: string,
): Promise<bigint | undefined> {
  const sql = new SqlValues(isPostgres);
  const where = `"id" = ${sql.value(id)} AND "tenantId" = ${sql.value(tenantId)}`;
  const [row] = (await prisma.$queryArrays(
    `SELECT ${exactly(isPostgres, '"seq"')} FROM "Log" WHERE ${where}`,
    sql.values,
  )) as Cells[];
  return row && BigInt(row[0]!);
}

/** The place of an edit in the order of edits, and the record that it is of. */
export async function placeOfEdit(prisma: PrismaService, isPostgres: boolean, tenantId: string, id: string) {
  const sql = new SqlValues(isPostgres);
  const where = `"id" = ${sql.value(id)} AND "tenantId" = ${sql.value(tenantId)}`;
  const text = `SELECT ${exactly(isPostgres, '"seq"')},"logId" FROM "LogEdit" WHERE ${where}`;
  const [row] = (await prisma.$queryArrays(text, sql.values)) as Cells[];
  return row && { seq: BigInt(row[0]!), logId: String(row[1]) };
}

/** The leaf hashes of a tenant's records, or edits, in a part of their order, by id. */
export async function leafHashes(
  prisma: PrismaService,
  isPostgres: boolean,
  table: 'Log' | 'LogEdit',
  part: LeafPart,
): Promise<Map<string, string>> {
  const sql = new SqlValues(isPostgres);
  const own = sql.value(part.tenantId);
  const text = `SELECT "id","leafHash" FROM "${table}" WHERE "tenantId" = ${own} AND ${seqWithin(sql, '"seq"', part)}
    ORDER BY "seq" LIMIT ${sql.value(MAX_BLOCK)}`;
  return new Map((await prisma.$queryArrays(text, sql.values)) as [string, string][]);
}

export interface LeafPart {
  tenantId: string;
  after: bigint;
  upTo: bigint;
}
