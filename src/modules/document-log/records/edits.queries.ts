import type { Database } from '../../../common/database/database.js';
import { long } from '../../../common/database/sql/long-statement.js';
import { oneOf, raw, sql } from '../../../common/database/sql/sql.js';
import { type Cells, type EditContent, editColumns, editOf, ERASED } from './log-row.js';
import { seqWithin } from './log-seq.queries.js';

/** Reason to omit the tenant: PostgreSQL would scan the tenant’s whole index of edits by seq. */
const OF_ONE_TENANT = 'the ids are of records of one tenant, and the index begins with them';

interface EditsWanted {
  /** Ids of the edited records. */
  ids: string[];
  after: bigint;
  upTo: bigint;
  limit: number;
}

/** Returns the edits of records, in the order of writing. */
export async function editsOfLogs(database: Database, wanted: EditsWanted): Promise<(EditContent & { seq: bigint })[]> {
  const { dialect } = database;
  const ofLogs = database.acrossTenants(OF_ONE_TENANT);
  const rows = (await ofLogs.$cells(sql`
    SELECT ${raw(`${editColumns(dialect)},${dialect.exactly('"seq"')}`)} FROM "LogEdit"
    WHERE ${oneOf('"logId"', wanted.ids)} AND "field" <> ${ERASED} AND ${seqWithin('"seq"', wanted)} ORDER BY "seq" LIMIT ${wanted.limit}`)) as Cells[];
  return rows.map((row) => ({ ...editOf(row), seq: BigInt(row.at(-1)!) }));
}

/** Returns edits by seq, as a map by id. */
export async function editsOfSeqs(database: Database, tenantId: string, seqs: bigint[]): Promise<Map<string, EditContent>> {
  const rows = (await database.of(tenantId).$cells(
    long(sql`
    SELECT ${raw(editColumns(database.dialect))} FROM "LogEdit"
    WHERE "tenantId" = ${tenantId} AND ${oneOf('"seq"', seqs)}`),
  )) as Cells[];
  return new Map(rows.map((cells) => [String(cells[0]), editOf(cells)]));
}

/** Returns the first edit per field of these records. Its old value is the value at creation. */
export async function firstEdits(database: Database, ids: string[]) {
  if (ids.length === 0) return [];
  const rows = (await database.acrossTenants(OF_ONE_TENANT).$cells(
    long(sql`
    SELECT "logId", "field", "oldValue" FROM "LogEdit" WHERE "seq" IN (
      SELECT min("seq") FROM "LogEdit" WHERE ${oneOf('"logId"', ids)} AND "field" <> ${ERASED} GROUP BY "logId", "field"
    )`),
  )) as Cells[];
  return rows.map(([logId, field, oldValue]) => ({
    logId: logId as string,
    field: String(field),
    oldValue: oldValue as string | null,
  }));
}
