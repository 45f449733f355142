import type { PrismaService } from '../../../common/database/prisma.service.js';
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
    const [row] = await prisma.$queryRaw<Given[]>`SELECT
      (SELECT "seq" FROM sqlite_sequence WHERE "name" = 'Log') AS "seq",
      (SELECT "seq" FROM sqlite_sequence WHERE "name" = 'LogEdit') AS "editSeq"`;
    return positionOf(row);
  }
  // A writer that hangs must not stop all others, which queue behind this lock, for longer than the timeout.
  const [, , [row]] = await prisma.$transaction([
    prisma.$queryRaw`SELECT set_config('lock_timeout', ${LOCK_TIMEOUT_MS}, true)`,
    prisma.$executeRaw`SELECT pg_advisory_xact_lock(${SEAL_LOCK}::bigint)`,
    prisma.$queryRaw<Given[]>`SELECT
      (SELECT last_value FROM "Log_seq_seq") AS "seq", (SELECT last_value FROM "LogEdit_seq_seq") AS "editSeq"`,
  ]);
  return positionOf(row);
}

/** Nothing where no row was ever stored. */
interface Given {
  seq: bigint | null;
  editSeq: bigint | null;
}

function positionOf(row: Given | undefined): Position {
  return { seq: BigInt(row?.seq ?? 0), editSeq: BigInt(row?.editSeq ?? 0) };
}

export function freshLogs(prisma: PrismaService, after: bigint, upTo: bigint, limit: number): Promise<FreshLeaf[]> {
  return inSeq(prisma.$queryRaw<FreshLeaf[]>`
    SELECT "seq", "tenantId", "id", "leafHash", "mac" FROM "Log"
    WHERE "seq" > ${after} AND "seq" <= ${upTo} ORDER BY "seq" LIMIT ${limit}`);
}

export function freshEdits(prisma: PrismaService, after: bigint, upTo: bigint, limit: number): Promise<FreshEdit[]> {
  return inSeq(prisma.$queryRaw<FreshEdit[]>`
    SELECT "seq", "tenantId", "id", "logId", "leafHash", "mac" FROM "LogEdit"
    WHERE "seq" > ${after} AND "seq" <= ${upTo} ORDER BY "seq" LIMIT ${limit}`);
}

/** SQLite gives small integers as numbers. */
async function inSeq<T extends { seq: bigint }>(reading: Promise<T[]>): Promise<T[]> {
  const rows = await reading;
  for (const row of rows) row.seq = BigInt(row.seq);
  return rows;
}

/** The leaf hashes of a tenant's records, or edits, in a part of their order, by id. */
export async function leafHashes(prisma: PrismaService, table: 'Log' | 'LogEdit', part: LeafPart): Promise<Map<string, string>> {
  const { tenantId, after, upTo } = part;
  const rows = await (table === 'Log'
    ? prisma.$queryRaw<{ id: string; leafHash: string }[]>`SELECT "id", "leafHash" FROM "Log"
        WHERE "tenantId" = ${tenantId} AND "seq" > ${after} AND "seq" <= ${upTo} ORDER BY "seq" LIMIT ${MAX_BLOCK}`
    : prisma.$queryRaw<{ id: string; leafHash: string }[]>`SELECT "id", "leafHash" FROM "LogEdit"
        WHERE "tenantId" = ${tenantId} AND "seq" > ${after} AND "seq" <= ${upTo} ORDER BY "seq" LIMIT ${MAX_BLOCK}`);
  return new Map(rows.map(({ id, leafHash }) => [id, leafHash]));
}

export interface LeafPart {
  tenantId: string;
  after: bigint;
  upTo: bigint;
}
