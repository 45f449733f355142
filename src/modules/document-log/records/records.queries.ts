import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { empty, oneOf, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { FILTER_FIELDS, type LogsWanted } from './logs-filter.input.js';
import { firstEdits } from './edits.queries.js';
import { type Cells, type LogContent, READ_COUNT, readColumns, type ReadLogRow, readRow, type Salted } from './log-row.js';

/** Builds the conditions of a filter on a record `l`. */
export function filterConditions(dialect: Dialect, wanted: LogsWanted): Sql[] {
  const fields = FILTER_FIELDS.filter((field) => wanted[field] !== undefined);
  const conditions = fields.map((field) => sql`${raw(`l."${field}"`)} = ${wanted[field]}`);
  if (wanted.from) conditions.push(sql`l."dateTime" >= ${dialect.time(wanted.from)}`);
  if (wanted.to) conditions.push(sql`l."dateTime" <= ${dialect.time(wanted.to)}`);
  return conditions;
}

/** Returns records by id, unordered. */
export async function logsOfIds(database: Database, tenantId: string, ids: string[]): Promise<ReadLogRow[]> {
  return (await readLogs(database, tenantId, oneOf('"id"', ids), database.dialect.unindexed)).map(readRow);
}

/** Returns records by seq, in that order. */
export async function logsOfSeqs(database: Database, tenantId: string, seqs: bigint[]): Promise<SaltedLog[]> {
  const rows = await readLogs(database, tenantId, oneOf('"seq"', seqs));
  const bySeq = new Map(rows.map((row) => [String(row.at(-1)), row]));
  return seqs
    .map((seq) => bySeq.get(String(seq)))
    .filter((row) => row !== undefined)
    .map((row) => ({ ...readRow(row), ...saltedOf(row) }));
}

/** Record as of its creation, with the members of its leaf. Contains only the remains of an erased record. */
type OriginalLog = LogContent & Salted & Pick<ReadLogRow, 'erasedAt'>;
type SaltedLog = ReadLogRow & Salted;

/** Returns records as of their creation, by id. */
export async function originalLogs(database: Database, tenantId: string, seqs: bigint[]): Promise<Map<string, OriginalLog>> {
  const rows = await logsOfSeqs(database, tenantId, seqs);
  const byId = new Map<string, OriginalLog>(rows.map((row) => [String(row.id), row]));
  const edited = rows.filter(({ editCount }) => editCount > 0).map(({ id }) => id);
  // Read edits after the records: the old value of an edit stored in between is the value just read.
  for (const { logId, field, oldValue } of await firstEdits(database, edited)) {
    byId.set(logId, { ...byId.get(logId)!, [field]: oldValue });
  }
  return byId;
}

/** `mark` before the tenant condition permits or prevents the use of an index on it. */
function readLogs(database: Database, tenantId: string, condition: Sql, mark = empty): Promise<Cells[]> {
  const columns = raw(readColumns(database.dialect, 'salt', 'personalHash', 'seq'));
  const statement = sql`SELECT ${columns} FROM "Log" WHERE ${mark}"tenantId" = ${tenantId} AND ${condition}`;
  return database.of(tenantId).$cells(statement) as Promise<Cells[]>;
}

function saltedOf(row: Cells): Salted {
  const [salt, personalHash] = row.slice(READ_COUNT) as (string | null)[];
  return { salt: salt ?? null, personalHash: personalHash ?? null };
}
