import type { PrismaService } from '../../../common/database/prisma.service.js';
import type { LogEditRow, LogRow } from '../log-row.js';

export type CheckedEdit = LogEditRow;

/** A record with all edits of it, oldest first, as they were at one moment. */
export interface CheckedLog extends Omit<LogRow, 'idempotencyKey' | 'inputHash'> {
  edits: CheckedEdit[];
}

/** A part of a tenant's rows in the order of seq. */
export interface Part {
  tenantId: string;
  after: bigint;
  upTo: bigint;
  limit: number;
  /** When they were created; both inclusive. Without them, rows of times that no Date can be are found too. */
  from?: Date | null;
  to?: Date | null;
}

type Cell = string | number | null;
/** Edits stand in the places of texts of a record, so that one statement can answer with both. */
type Row = Cell[];

const OF_BOTH = ['seq', 'id', 'tenantId', 'leafHash', 'mac', 'dateTime'];
const LOG = [
  ...OF_BOTH, 'documentId', 'documentType', 'attributeId', 'authorId', 'action', 'comment', 'custom1', 'custom2', 'details',
  'createdAt', 'updateAt', 'editCount',
]; // prettier-ignore
const EDIT = [...OF_BOTH, 'logId', 'field', 'oldValue', 'newValue'];
const NOT_OF_EDITS = LOG.slice(EDIT.length).map(() => 'NULL');
const EDIT_COUNT = LOG.indexOf('editCount');
const TIMES = ['dateTime', 'createdAt', 'updateAt'];

/** In one statement: an edit that is stored between two reads would look like a change of the record. */
export async function logsWithEdits(prisma: PrismaService, isPostgres: boolean, part: Part): Promise<CheckedLog[]> {
  const { where, values } = condition(isPostgres, part, 'createdAt');
  const text = `
    WITH "part" AS MATERIALIZED (SELECT ${columns(LOG, isPostgres)} FROM "Log" e ${where})
    SELECT * FROM "part" UNION ALL
    SELECT ${columns(EDIT, isPostgres)},${NOT_OF_EDITS.join()} FROM "part" JOIN "LogEdit" e ON e."logId" = "part"."id"`;
  const rows = (await prisma.$queryArrays(text, values)) as Row[];
  const isLog = (row: Row): boolean => row[EDIT_COUNT] !== null;
  const logs = rows.filter(isLog).map(asLog).sort(bySeq);
  if (logs.length < rows.length) {
    const byId = new Map(logs.map((log) => [log.id, log]));
    const edits = rows.filter((row) => !isLog(row)).map(asEdit);
    for (const edit of edits.sort(bySeq)) byId.get(edit.logId)?.edits.push(edit);
  }
  return logs;
}

export async function editsInOrder(prisma: PrismaService, isPostgres: boolean, part: Part): Promise<CheckedEdit[]> {
  const { where, values } = condition(isPostgres, part, 'dateTime');
  const rows = await prisma.$queryArrays(`SELECT ${columns(EDIT, isPostgres)} FROM "LogEdit" e ${where}`, values);
  return (rows as Row[]).map(asEdit);
}

/** Times as milliseconds. On SQLite anything can stand where a time should, and the adapter stumbles over bytes. */
function columns(names: string[], isPostgres: boolean): string {
  const ms = (name: string): string =>
    isPostgres
      ? `(extract(epoch FROM e."${name}") * 1000)::float8`
      : `CASE typeof(e."${name}") WHEN 'blob' THEN '' ELSE e."${name}" END`;
  return names.map((name) => `${TIMES.includes(name) ? ms(name) : `e."${name}"`} AS "${name}"`).join();
}

// Cell by cell, for there are 100,000 of them in a call.
function asLog(row: Row): CheckedLog {
  return {
    seq: BigInt(row[0]!),
    id: row[1] as string,
    tenantId: row[2] as string,
    leafHash: row[3] as string,
    mac: row[4] as string,
    dateTime: timeOf(row[5]!),
    documentId: row[6] as string,
    documentType: row[7] as string,
    attributeId: row[8] as string | null,
    authorId: row[9] as string | null,
    action: row[10] as string | null,
    comment: row[11] as string | null,
    custom1: row[12] as string | null,
    custom2: row[13] as string | null,
    details: row[14] as string,
    createdAt: timeOf(row[15]!),
    updateAt: row[16] === null ? null : timeOf(row[16]!),
    editCount: row[17] as number,
    edits: [],
  };
}

function asEdit(row: Row): CheckedEdit {
  return {
    seq: BigInt(row[0]!),
    id: row[1] as string,
    tenantId: row[2] as string,
    leafHash: row[3] as string,
    mac: row[4] as string,
    dateTime: timeOf(row[5]!),
    logId: row[6] as string,
    field: row[7] as string,
    oldValue: row[8] as string | null,
    newValue: row[9] as string | null,
  };
}

/** They stand so already, as far as the databases promise nothing else. */
const bySeq = (a: { seq: bigint }, b: { seq: bigint }): number => (a.seq < b.seq ? -1 : 1);

/** No time, if it is not a number of milliseconds. */
const timeOf = (ms: Cell): Date => new Date(typeof ms === 'number' ? ms : NaN);

function condition(isPostgres: boolean, { tenantId, after, upTo, from, to, limit }: Part, time: string) {
  const values: (string | number | bigint)[] = [];
  const slot = (value: string | number | bigint, type: string): string => {
    values.push(value);
    return isPostgres ? `$${values.length}::${type}` : '?';
  };
  const at = (date: Date) => slot(isPostgres ? date.toISOString().slice(0, -1) : date.getTime(), 'timestamp(3)');
  const where = [
    `WHERE e."tenantId" = ${slot(tenantId, 'text')} AND e."seq" > ${slot(after, 'bigint')} AND e."seq" <= ${slot(upTo, 'bigint')}`,
    from ? `AND e."${time}" >= ${at(from)}` : '',
    to ? `AND e."${time}" <= ${at(to)}` : '',
    `ORDER BY e."seq" LIMIT ${slot(limit, 'int')}`,
  ].join(' ');
  return { where, values };
}
