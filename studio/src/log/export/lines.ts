import { csvCell } from '../../../../src/modules/document-log/export/log-csv';
import { type DamagedRecord, isDamaged, type WholeRecord } from '../data/log-record';

export type Format = 'ndjson' | 'csv';
type Cell = string | null | undefined;
type Name = NonNullable<WholeRecord['attribute']>['name'];

/** The columns of the export of the API. */
const COLUMNS: Record<string, (record: WholeRecord) => Cell> = {
  id: ({ id }) => id,
  documentId: ({ documentId }) => documentId,
  documentType: ({ documentType }) => documentType,
  dateTime: ({ dateTime }) => dateTime,
  action: ({ action }) => action,
  attributeId: ({ attributeId }) => attributeId,
  attributeName: ({ attribute }) => nameCell(attribute?.name),
  newRaw: ({ attributeNewValue }) => attributeNewValue?.raw,
  newDisplay: ({ attributeNewValue }) => attributeNewValue?.display,
  oldRaw: ({ attributeOldValue }) => attributeOldValue?.raw,
  oldDisplay: ({ attributeOldValue }) => attributeOldValue?.display,
  authorId: ({ authorId }) => authorId,
  authorName: ({ author }) => author?.name,
  authorProfile: ({ author }) => author?.profile,
  eventSourceId: ({ eventSource }) => eventSource?.id,
  eventSourceName: ({ eventSource }) => nameCell(eventSource?.name),
  eventLocationId: ({ eventLocation }) => eventLocation?.id,
  geoLocation: ({ eventLocation }) => jsonCell(eventLocation?.geoLocation),
  comment: ({ comment }) => comment,
  custom1: ({ custom1 }) => custom1,
  custom2: ({ custom2 }) => custom2,
  createdAt: ({ createdAt }) => createdAt,
  updateAt: ({ updateAt }) => updateAt,
  edits: ({ edits }) => (edits?.length ? JSON.stringify(edits) : null),
  erasedAt: ({ erasedAt }) => erasedAt,
};
const CELLS = Object.values(COLUMNS);

const nameCell = (name: Name | undefined): Cell => (typeof name === 'string' ? name : jsonCell(name));
const jsonCell = (given: unknown): Cell => (given === null || given === undefined ? null : JSON.stringify(given));

export const headOf = (format: Format): string => (format === 'csv' ? `${Object.keys(COLUMNS).join()}\r\n` : '');

/** Formats a record as a line of a file. No CSV cell is a formula for a spreadsheet. */
export function lineOf(record: WholeRecord | DamagedRecord, format: Format): string {
  if (isDamaged(record)) {
    if (format === 'csv') return `${csvCell(record.id)}${','.repeat(CELLS.length - 1)}\r\n`;
    return `${JSON.stringify({ id: record.id, error: { code: 'FAILED_PRECONDITION', message: record.damage } })}\n`;
  }
  return format === 'csv' ? `${CELLS.map((cell) => csvCell(cell(record))).join()}\r\n` : `${JSON.stringify(record)}\n`;
}
