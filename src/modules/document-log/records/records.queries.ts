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

/** With the tenant as a further condition, PostgreSQL would walk the tenant’s whole index of edits in the order of seq. */
const OF_ONE_TENANT = 'the ids are of records of one tenant, and the index begins with them';

interface EditsWanted {
  /** The ids of their records. */
  ids: string[];
  after: bigint;
  upTo: bigint;
  limit: number;
}

/** Returns the edits that updateLog made of records, in the order of writing. */
export async function editsOfLogs(database: Database, wanted: EditsWanted): Promise<(EditContent & { seq: bigint })[]> {
  const { dialect } = database;
  const ofLogs = database.acrossTenants(OF_ONE_TENANT);
  const rows = (await ofLogs.$cells(sql`
    SELECT ${raw(`${editColumns(dialect)},${dialect.exactly('"seq"')}`)} FROM "LogEdit"
    WHERE ${oneOf('"logId"', wanted.ids)} AND "field" <> ${ERASED} AND ${seqWithin('"seq"', wanted)} ORDER BY "seq" LIMIT ${wanted.limit}`)) as Cells[];
  return rows.map((row) => ({ ...editOf(row), seq: BigInt(row.at(-1)!) }));
}

/** Returns edits by their seqs, as a map by id. */
export async function editsOfSeqs(database: Database, tenantId: string, seqs: bigint[]): Promise<Map<string, EditContent>> {
  const rows = (await database.of(tenantId).$cells(
    long(sql`
    SELECT ${raw(editColumns(database.dialect))} FROM "LogEdit"
    WHERE "tenantId" = ${tenantId} AND ${oneOf('"seq"', seqs)}`),
  )) as Cells[];
  return new Map(rows.map((cells) => [String(cells[0]), editOf(cells)]));
}

/** Returns the first edit of each field of these records: its old value is the field's value at creation. */
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

/** Below and above every seq that a database can store: databases count from 1, but rows with any seq can be slipped in. */
export const BEFORE_ALL = -(2n ** 63n) - 1n;
export const AFTER_ALL = 2n ** 63n - 1n;

/** The condition that rows come after one seq and up to another. */
export function seqWithin(column: string, { after, upTo }: { after: bigint; upTo: bigint }): Sql {
  const seq = raw(column);
  return after === BEFORE_ALL ? sql`${seq} <= ${upTo}` : sql`${seq} > ${after} AND ${seq} <= ${upTo}`;
}

/**
 * The advisory lock of PostgreSQL that every writer of records or edits holds shared, from before it draws a seq until the
 * commit. The sealer takes it exclusively for a moment: at that moment no transaction with a lower seq is open.
 */
export const SEAL_LOCK = 7_346_281_905;
