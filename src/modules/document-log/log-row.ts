import { bytesOf } from '../../common/database/sized-rows.js';
import type { LogEditModel, LogModel } from '../../generated/sqlite/models.js';
import { detailsOf } from './damaged-record.js';
import { exactly } from './log-seq.queries.js';
import type { Log, LogEdit } from './models/log.model.js';

/** A record as it is stored. */
export type LogRow = LogModel;
export type LogEditRow = LogEditModel;

/** What of a record can never change, or only by an edit: what its leaf is made of. */
export type LogContent = Pick<
  LogRow,
  | 'id'
  | 'tenantId'
  | 'documentId'
  | 'documentType'
  | 'dateTime'
  | 'attributeId'
  | 'authorId'
  | 'action'
  | 'comment'
  | 'custom1'
  | 'custom2'
  | 'details'
  | 'createdAt'
>;

export type EditContent = Pick<LogEditRow, 'id' | 'tenantId' | 'logId' | 'dateTime' | 'field' | 'oldValue' | 'newValue'>;

/** What is written of a new record. */
export type NewLogRow = LogContent & Pick<LogRow, 'idempotencyKey' | 'inputHash' | 'leafHash' | 'mac'>;

/** A record that is to be stored; its leaf is made when it is. */
export type NewLog = Omit<NewLogRow, 'leafHash' | 'mac'>;

/** What callers are shown of a record. */
export type ShownLogRow = LogContent & Pick<LogRow, 'updateAt' | 'editCount'>;

type Cell = string | number | null;
/** A row as `$queryArrays` answers with it. */
export type Cells = Cell[];

const SHOWN = [
  'id', 'tenantId', 'documentId', 'documentType', 'dateTime', 'attributeId', 'authorId', 'action', 'comment', 'custom1', 'custom2',
  'details', 'createdAt', 'updateAt', 'editCount',
] satisfies (keyof ShownLogRow)[]; // prettier-ignore
const TIMES = ['dateTime', 'createdAt', 'updateAt'];

/** The columns of a record in the order in which `shownRow` takes them, and any further ones. */
export const shownColumns = (isPostgres: boolean, ...further: string[]): string => columns([...SHOWN, ...further], isPostgres);

/** With times as milliseconds, and seq exact. On SQLite anything can stand where a time should, and the adapter stumbles over bytes. */
export function columns(names: string[], isPostgres: boolean): string {
  const ms = (column: string): string =>
    isPostgres
      ? `(extract(epoch FROM ${column}) * 1000)::float8`
      : `CASE typeof(${column}) WHEN 'blob' THEN '' ELSE ${column} END`;
  const shown = (name: string): string => (name === 'seq' ? exactly(isPostgres, '"seq"') : `"${name}"`);
  return names.map((name) => (TIMES.includes(name) ? ms(`"${name}"`) : shown(name))).join();
}

export const SHOWN_COUNT = SHOWN.length;

/** Cell by cell: see `toLog`. */
export function shownRow(cells: Cells): ShownLogRow {
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
    editCount: cells[14] as number,
  };
}

const EDIT = ['id', 'tenantId', 'logId', 'field', 'dateTime', 'oldValue', 'newValue'] satisfies (keyof EditContent)[];
export const EDIT_COUNT = EDIT.length;

/** The columns of an edit in the order in which `editOf` takes them. */
export const editColumns = (isPostgres: boolean): string => columns(EDIT, isPostgres);

export const editOf = (cells: Cells): EditContent => ({
  id: cells[0] as string,
  tenantId: cells[1] as string,
  logId: cells[2] as string,
  field: cells[3] as string,
  dateTime: timeOf(cells[4]!),
  oldValue: cells[5] as string | null,
  newValue: cells[6] as string | null,
});

const TEXTS = ['documentId', 'documentType', 'attributeId', 'authorId', 'action', 'comment', 'custom1', 'custom2', 'details'];

/** In SQL, the bytes of the texts of a record `l`, and of those of an edit `e`. */
export const LOG_BYTES = bytesOf(TEXTS.map((name) => `l."${name}"`));
export const EDIT_BYTES = bytesOf(['e."oldValue"', 'e."newValue"']);

/** No time, if it is not a number of milliseconds. */
const timeOf = (ms: Cell): Date => new Date(typeof ms === 'number' ? ms : NaN);

/** The members of `details`, as far as they were given. */
export type LogDetails = Pick<
  Log,
  'attribute' | 'attributeNewValue' | 'attributeOldValue' | 'author' | 'eventSource' | 'eventLocation'
>;

/**
 * What callers see of a row. `editsOf` reads those of its whole page at once. Member by member: an object that is spread
 * into another gets a hidden class of its own, a kilobyte that V8 frees late, and exports make millions.
 * @throws DamagedRecord
 */
export function toLog(row: ShownLogRow, editsOf: (id: string) => Promise<LogEdit[]>): Log {
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
    loadEdits: () => editsOf(row.id),
  };
}
