import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { empty, long, oneOf, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { FILTER_FIELDS, type LogsWanted } from './logs-filter.input.js';
import {
  type Cells,
  editColumns,
  type EditContent,
  editOf,
  ERASED,
  type LogContent,
  READ_COUNT,
  readColumns,
  type ReadLogRow,
  readRow,
  type Salted,
} from './log-row.js';

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
async function firstEdits(database: Database, ids: string[]) {
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

/** Bounds outside the range of bigint seqs. Databases count from 1, but an intruder can insert any seq. */
export const BEFORE_ALL = -(2n ** 63n) - 1n;
export const AFTER_ALL = 2n ** 63n - 1n;

/** Builds the condition `after` < seq <= `upTo`. */
export function seqWithin(column: string, { after, upTo }: { after: bigint; upTo: bigint }): Sql {
  const seq = raw(column);
  return after === BEFORE_ALL ? sql`${seq} <= ${upTo}` : sql`${seq} > ${after} AND ${seq} <= ${upTo}`;
}

/**
 * PostgreSQL advisory lock. Writers of records and edits hold it shared from before they draw a seq until commit. The sealer takes it
 * exclusively for a moment, at which no transaction with a lower seq is open.
 */
export const SEAL_LOCK = 7_346_281_905;
