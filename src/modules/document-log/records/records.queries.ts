import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { empty, oneOf, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { FILTER_FIELDS, type LogsWanted } from './logs-filter.input.js';
import { firstEdits } from './edits.queries.js';
import { type Cells, type LogContent, READ_COUNT, readColumns, type ReadLogRow, readRow, type Salted } from './log-row.js';

/** Writes the conditions of a filter on a record `l`. */
export function filterConditions(dialect: Dialect, wanted: LogsWanted): Sql[] {
  const fields = FILTER_FIELDS.filter((field) => wanted[field] !== undefined);
  const conditions = fields.map((field) => sql`${raw(`l."${field}"`)} = ${wanted[field]}`);
  if (wanted.from) conditions.push(sql`l."dateTime" >= ${dialect.time(wanted.from)}`);
  if (wanted.to) conditions.push(sql`l."dateTime" <= ${dialect.time(wanted.to)}`);
  return conditions;
}

/** Returns records by their ids, in no order. */
export async function logsOfIds(database: Database, tenantId: string, ids: string[]): Promise<ReadLogRow[]> {
  return (await readLogs(database, tenantId, oneOf('"id"', ids), database.dialect.unindexed)).map(readRow);
}

/** Returns records by their seqs, in that order. */
export async function logsOfSeqs(database: Database, tenantId: string, seqs: bigint[]): Promise<SaltedLog[]> {
  const rows = await readLogs(database, tenantId, oneOf('"seq"', seqs));
  const bySeq = new Map(rows.map((row) => [String(row.at(-1)), row]));
  return seqs
    .map((seq) => bySeq.get(String(seq)))
    .filter((row) => row !== undefined)
    .map((row) => ({ ...readRow(row), ...saltedOf(row) }));
}

/** A record as it was created, with what its leaf is made of; of an erased one, what remains. */
type OriginalLog = LogContent & Salted & Pick<ReadLogRow, 'erasedAt'>;
type SaltedLog = ReadLogRow & Salted;

/** Returns records as they were created, by id. */
export async function originalLogs(database: Database, tenantId: string, seqs: bigint[]): Promise<Map<string, OriginalLog>> {
  const rows = await logsOfSeqs(database, tenantId, seqs);
  const byId = new Map<string, OriginalLog>(rows.map((row) => [String(row.id), row]));
  const edited = rows.filter(({ editCount }) => editCount > 0).map(({ id }) => id);
  // Read after the records: an edit stored in between has the value that was read as its old value.
  for (const { logId, field, oldValue } of await firstEdits(database, edited)) {
    byId.set(logId, { ...byId.get(logId)!, [field]: oldValue });
  }
  return byId;
}

/** The mark in front of the tenant decides whether an index that begins with it may serve. */
function readLogs(database: Database, tenantId: string, condition: Sql, mark = empty): Promise<Cells[]> {
  const columns = raw(readColumns(database.dialect, 'salt', 'personalHash', 'seq'));
  const statement = sql`SELECT ${columns} FROM "Log" WHERE ${mark}"tenantId" = ${tenantId} AND ${condition}`;
  return database.of(tenantId).$cells(statement) as Promise<Cells[]>;
}

function saltedOf(row: Cells): Salted {
  const [salt, personalHash] = row.slice(READ_COUNT) as (string | null)[];
  return { salt: salt ?? null, personalHash: personalHash ?? null };
}
