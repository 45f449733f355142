import type { AllTenants, Database } from '../../../common/database/database.js';
import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import type { Cells } from '../records/log-row.js';
import { SEAL_LOCK, seqWithin } from '../records/records.queries.js';

/** A position in the order of records and in that of edits; the database numbers both. */
export interface Position {
  seq: bigint;
  editSeq: bigint;
}

/** The fields of a new record or edit that the sealer reads. */
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
 * Returns the position up to which everything is committed: no lower seq can appear any more. It is the last seq that the
 * database assigned, not the greatest of any row: a row moved far ahead would make the sealer skip all later rows.
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
  // While the sealer waits for this lock, new writers wait too: a writer that hangs must not stop the others for longer than the timeout.
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

/** On SQLite a text column can contain bytes: then no MAC is right. */
const textOf = (cell: Cells[number] | undefined): string => (typeof cell === 'string' ? cell : '');
