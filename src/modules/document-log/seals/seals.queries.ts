import type { AllTenants, Database } from '../../../common/database/database.js';
import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import type { Cells } from '../records/log-row.js';
import { SEAL_LOCK, seqWithin } from '../records/records.queries.js';

/** Pair of database-assigned seqs: of a record and of an edit. */
export interface Position {
  seq: bigint;
  editSeq: bigint;
}

/** Fields of a new record or edit read by the sealer. */
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
 * Returns the position up to which everything is committed. It is the last seq assigned by the database, not the greatest stored one: a row
 * with a forged high seq would make the sealer skip all later rows.
 */
export async function committedUpTo(database: Database): Promise<Position> {
  const read = database.dialect.pick({ sqlite: lastAssigned, postgresql: lastAssignedBehindLock });
  return read(database.acrossTenants('the positions are those of the whole table'));
}

async function lastAssigned(database: AllTenants): Promise<Position> {
  const lastOf = (table: string): Sql => {
    const last = raw(database.dialect.exactly('CAST("seq" AS INTEGER)'));
    return sql`(SELECT ${last} FROM sqlite_sequence WHERE "name" = ${table})`;
  };
  const [row] = (await database.$cells(sql`SELECT ${lastOf('Log')}, ${lastOf('LogEdit')}`)) as Cells[];
  return { seq: BigInt(row?.[0] ?? 0), editSeq: BigInt(row?.[1] ?? 0) };
}

async function lastAssignedBehindLock(database: AllTenants): Promise<Position> {
  // A waiting sealer blocks new writers too. The timeout bounds the effect of a hung writer.
  const [, , [row]] = await database.$transaction([
    database.$queryRaw`SELECT set_config('lock_timeout', ${LOCK_TIMEOUT_MS}, true)`,
    database.$executeRaw`SELECT pg_advisory_xact_lock(${SEAL_LOCK}::bigint)`,
    database.$queryRaw<Position[]>`SELECT
      (SELECT last_value FROM "Log_seq_seq") AS "seq", (SELECT last_value FROM "LogEdit_seq_seq") AS "editSeq"`,
  ]);
  return row!;
}

interface SeqRange {
  after: bigint;
  upTo: bigint;
  limit: number;
}

export async function freshLogs(database: Database, range: SeqRange): Promise<FreshLeaf[]> {
  return (await freshRows(database, '"Log"', range)).map(asLeaf);
}

export async function freshEdits(database: Database, range: SeqRange): Promise<FreshEdit[]> {
  const rows = await freshRows(database, '"LogEdit"', range);
  return rows.map((row) => ({ ...asLeaf(row), logId: textOf(row.at(-1)) }));
}

function freshRows(database: Database, table: '"Log"' | '"LogEdit"', range: SeqRange): Promise<Cells[]> {
  const logId = table === '"LogEdit"' ? ',"logId"' : '';
  const columns = raw(`${database.dialect.exactly('"seq"')},"tenantId","id","leafHash","mac"${logId}`);
  return database.acrossTenants('the sealer seals the rows of every tenant').$cells(sql`
    SELECT ${columns} FROM ${raw(table)} WHERE ${seqWithin('"seq"', range)} ORDER BY "seq" LIMIT ${range.limit}`) as Promise<
    Cells[]
  >;
}

const asLeaf = ([seq, tenantId, id, leafHash, mac]: Cells): FreshLeaf => ({
  seq: BigInt(seq!),
  tenantId: textOf(tenantId),
  id: textOf(id),
  leafHash: textOf(leafHash),
  mac: textOf(mac),
});

/** Returns the text of a cell. Bytes, which a SQLite text column permits, become empty and fail the MAC. */
const textOf = (cell: Cells[number] | undefined): string => (typeof cell === 'string' ? cell : '');
