import type { Dialect } from '../../../common/database/sql/dialect.js';
import { Columns, type RowOf } from '../../../common/database/sql/columns.js';
import { bytesOf, sizesOf } from '../../../common/database/sql/sized-rows.js';
import type { LogEditModel, LogModel } from '../../../generated/sqlite/models.js';
import { detailsOf } from './damaged-record.js';
import type { Log, LogEdit } from '../models/log.model.js';

/** Stored record. */
export type LogRow = LogModel;
export type LogEditRow = LogEditModel;

const LOG = new Columns<LogRow>('Log', {
  id: 'key',
  tenantId: 'key',
  documentId: 'text',
  documentType: 'text',
  dateTime: 'time',
  attributeId: 'text',
  authorId: 'text',
  action: 'text',
  comment: 'long text',
  custom1: 'long text',
  custom2: 'long text',
  details: 'long text',
  createdAt: 'time',
  updateAt: 'time',
  erasedAt: 'time',
  editCount: 'integer',
  idempotencyKey: 'key',
  inputHash: 'key',
  leafHash: 'key',
  mac: 'key',
  salt: 'key',
  personalHash: 'key',
  seq: 'bigint',
});

/** Columns of a record as it is read for callers, in the order of `readRow`. */
const READ = LOG.without('idempotencyKey', 'inputHash', 'leafHash', 'mac', 'salt', 'personalHash', 'seq');
export type ReadLogRow = RowOf<typeof READ> & Partial<Salted>;

/** Columns of a new record as it is written. */
export const NEW_LOG = LOG.without('updateAt', 'erasedAt', 'editCount', 'seq');
export type NewLogRow = RowOf<typeof NEW_LOG>;

/** Record fields covered by the leaf: immutable, or changed only by edits. */
export type LogContent = Omit<ReadLogRow, 'updateAt' | 'erasedAt' | 'editCount'>;

/** Salt and hash of the personal members; see docs/document-log-seals.md. The salt is null after erasure. */
export type Salted = Pick<LogModel, 'salt' | 'personalHash'>;

/** Field name in the edit of an erasure. */
export const ERASED = 'erased';
/** Details of an erased record. */
export const NO_DETAILS = '{}';

export type EditContent = Pick<LogEditRow, 'id' | 'tenantId' | 'logId' | 'dateTime' | 'field' | 'oldValue' | 'newValue'> &
  Partial<Salted>;

/** New record without its leaf. */
export type NewLog = LogContent & Pick<LogRow, 'idempotencyKey' | 'inputHash'>;

type Cell = string | number | null;
/** Row returned by `$cells`. */
export type Cells = Cell[];

const TIMES: string[] = LOG.names.filter((name) => LOG.kinds[name] === 'time');

/** Columns of a record in the order of `readRow`, plus further ones. */
export const readColumns = (dialect: Dialect, ...further: string[]): string => columns(dialect, [...READ.names, ...further]);

/**
 * Returns columns as SQL, with times in milliseconds and an exact seq. Replaces bytes in time columns, which SQLite permits and the adapter
 * fails on.
 */
export function columns(dialect: Dialect, names: string[]): string {
  const milliseconds = (column: string): string =>
    dialect.pick({
      sqlite: `CASE typeof(${column}) WHEN 'blob' THEN '' ELSE ${column} END`,
      postgresql: dialect.milliseconds(column),
    });
  const column = (name: string): string => (name === 'seq' ? dialect.exactly('"seq"') : `"${name}"`);
  return names.map((name) => (TIMES.includes(name) ? milliseconds(`"${name}"`) : column(name))).join();
}

export const READ_COUNT = READ.names.length;

/** Builds a row cell by cell, not by spreading; see `toLog`. */
export function readRow(cells: Cells): ReadLogRow {
  return {
    id: cells[0] as string,
    tenantId: cells[1] as string,
    documentId: cells[2] as string,
    documentType: cells[3] as string,
    dateTime: timeOf(cells[4]!),
    attributeId: cells[5] as string | null,
    authorId: cells[6] as string | null,
    action: cells[7] as string | null,
    comment: cells[8] as string | null,
    custom1: cells[9] as string | null,
    custom2: cells[10] as string | null,
    details: cells[11] as string,
    createdAt: timeOf(cells[12]!),
    updateAt: cells[13] === null ? null : timeOf(cells[13]!),
    erasedAt: cells[14] === null ? null : timeOf(cells[14]!),
    editCount: cells[15] as number,
  };
}

const EDIT = [
  'id', 'tenantId', 'logId', 'field', 'dateTime', 'oldValue', 'newValue', 'salt', 'personalHash',
] satisfies (keyof EditContent)[]; // prettier-ignore
export const EDIT_COUNT = EDIT.length;

/** Columns of an edit in the order of `editOf`. */
export const editColumns = (dialect: Dialect): string => columns(dialect, EDIT);

export const editOf = (cells: Cells): EditContent & Salted => ({
  id: cells[0] as string,
  tenantId: cells[1] as string,
  logId: cells[2] as string,
  field: cells[3] as string,
  dateTime: timeOf(cells[4]!),
  oldValue: cells[5] as string | null,
  newValue: cells[6] as string | null,
  salt: cells[7] as string | null,
  personalHash: cells[8] as string | null,
});

/** Sizes of a record, without its table and as `l`. */
export const LOG_SIZES = sizesOf(READ);
export const LOG_BYTES = sizesOf(READ, 'l').bytes;
/** SQL for the bytes of the texts of an edit `e`. */
export const EDIT_BYTES = bytesOf(['e."oldValue"', 'e."newValue"']);

/** Returns an invalid date unless the cell is a number of milliseconds. */
const timeOf = (ms: Cell): Date => new Date(typeof ms === 'number' ? ms : NaN);

/** Stored members of `details`. */
export type LogDetails = Pick<
  Log,
  'attribute' | 'attributeNewValue' | 'attributeOldValue' | 'author' | 'eventSource' | 'eventLocation'
>;

/**
 * Converts a row for callers. `editsOf` reads the edits of its whole page at once. Copies member by member: spreading creates a hidden
 * class per object, a kilobyte that V8 frees late, and exports create millions.
 * @throws DamagedRecord
 */
export function toLog(row: ReadLogRow, editsOf: (id: string) => Promise<LogEdit[]>): Log {
  const details = detailsOf(row);
  return {
    id: row.id,
    documentId: row.documentId,
    documentType: row.documentType,
    attributeId: row.attributeId,
    attribute: details.attribute,
    attributeNewValue: details.attributeNewValue,
    attributeOldValue: details.attributeOldValue,
    dateTime: row.dateTime,
    authorId: row.authorId,
    author: details.author,
    eventSource: details.eventSource,
    eventLocation: details.eventLocation,
    comment: row.comment,
    custom1: row.custom1,
    custom2: row.custom2,
    action: row.action,
    createdAt: row.createdAt,
    updateAt: row.updateAt,
    erasedAt: row.erasedAt,
    loadEdits: () => editsOf(row.id),
  };
}
