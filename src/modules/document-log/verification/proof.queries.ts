import type { Database } from '../../../common/database/database.js';
import { raw, sql } from '../../../common/database/sql/sql.js';
import { MAX_BLOCK } from './seal.model.js';
import type { Cells } from '../records/log-row.js';
import { seqWithin } from '../records/log-seq.queries.js';

interface LeafRange {
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
export async function leafHashes(database: Database, table: 'Log' | 'LogEdit', range: LeafRange): Promise<Map<string, string>> {
  const statement = sql`
    SELECT "id","leafHash" FROM ${raw(`"${table}"`)} WHERE "tenantId" = ${range.tenantId} AND ${seqWithin('"seq"', range)}
    ORDER BY "seq" LIMIT ${MAX_BLOCK}`;
  return new Map((await database.of(range.tenantId).$cells(statement)) as [string, string][]);
}
