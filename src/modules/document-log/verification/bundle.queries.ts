import { long } from '../../../common/database/sql/long-statement.js';
import type { Database } from '../../../common/database/database.js';
import type { Rows } from '../../../common/database/rows.js';
import { allOf, raw, sql, type Sql } from '../../../common/database/sql/sql.js';
import type { LogsWanted } from '../records/logs-filter.input.js';
import { type Cells, EDIT_BYTES, LOG_BYTES } from '../records/log-row.js';
import { seqWithin } from '../records/log-seq.queries.js';
import { filterConditions } from '../records/records.queries.js';

/** Range of a tenant's leaves by seq, with a filter of the contents to include. */
export interface LeafRange {
  tenantId: string;
  after: bigint;
  upTo: bigint;
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
    sql`SELECT ${columns}, ${isWanted(database, range.wanted)} FROM "Log" l ${within('l', range)}`,
  );
}

export function editLeaves(database: Database, range: LeafRange): Promise<SizedLeaf[]> {
  const columns = raw(`${database.dialect.exactly('e."seq"')}, e."id", e."logId", e."leafHash", ${EDIT_BYTES}`);
  return leaves(
    database.of(range.tenantId),
    sql`SELECT ${columns}, ${isWanted(database, range.wanted)}
      FROM "LogEdit" e LEFT JOIN "Log" l ON l."id" = e."logId" AND l."tenantId" = e."tenantId" ${within('e', range)}`,
  );
}

function isWanted({ dialect }: Database, wanted: LogsWanted): Sql {
  const conditions = filterConditions(dialect, wanted);
  return conditions.length === 0 ? sql`1` : sql`CASE WHEN ${allOf(conditions)} THEN 1 ELSE 0 END`;
}

function within(alias: string, range: LeafRange): Sql {
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
