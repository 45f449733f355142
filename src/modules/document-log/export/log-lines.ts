import type { DamagedRecord } from '../records/damaged-record.js';
import { csvCell } from './log-csv.js';
import type { EventSource, Log, LogAttribute, LogEdit, LogValue } from '../models/log.model.js';
import type { NameValue } from '../models/name.scalar.js';

export interface ExportFormat {
  contentType: string;
  /** Header line, or empty. */
  head: string;
  line: (log: Log, edits: LogEdit[]) => string;
  /** Line written in place of a damaged record. */
  damagedLine: (record: DamagedRecord) => string;
}

const value = (given: LogValue | null | undefined) => given && { raw: given.raw ?? null, display: given.display ?? null };
const named = (given: LogAttribute | EventSource | null | undefined) =>
  given && { id: given.id ?? null, name: given.name ?? null };

/** Formats all fields of a record as GraphQL returns them. */
function ndjson(log: Log, edits: LogEdit[]): string {
  const { author, eventLocation } = log;
  const line = {
    id: log.id,
    documentId: log.documentId,
    documentType: log.documentType,
    attributeId: log.attributeId,
    attribute: named(log.attribute) ?? null,
    attributeNewValue: value(log.attributeNewValue) ?? null,
    attributeOldValue: value(log.attributeOldValue) ?? null,
    dateTime: log.dateTime,
    authorId: log.authorId,
    author: author ? { id: author.id ?? null, name: author.name ?? null, profile: author.profile ?? null } : null,
    eventSource: named(log.eventSource) ?? null,
    eventLocation: eventLocation ? { id: eventLocation.id ?? null, geoLocation: eventLocation.geoLocation ?? null } : null,
    comment: log.comment,
    custom1: log.custom1,
    custom2: log.custom2,
    action: log.action,
    createdAt: log.createdAt,
    updateAt: log.updateAt,
    erasedAt: log.erasedAt,
    edits,
  };
  return `${JSON.stringify(line)}\n`;
}

type Cell = string | null | undefined;

/** CSV columns. Nested values without a column of their own are written as JSON. */
const COLUMNS: Record<string, (log: Log, edits: LogEdit[]) => Cell> = {
  id: (log) => log.id,
  documentId: (log) => log.documentId,
  documentType: (log) => log.documentType,
  dateTime: (log) => log.dateTime.toISOString(),
  action: (log) => log.action,
  attributeId: (log) => log.attributeId,
  attributeName: (log) => nameCell(log.attribute?.name),
  newRaw: (log) => log.attributeNewValue?.raw,
  newDisplay: (log) => log.attributeNewValue?.display,
  oldRaw: (log) => log.attributeOldValue?.raw,
  oldDisplay: (log) => log.attributeOldValue?.display,
  authorId: (log) => log.authorId,
  authorName: (log) => log.author?.name,
  authorProfile: (log) => log.author?.profile,
  eventSourceId: (log) => log.eventSource?.id,
  eventSourceName: (log) => nameCell(log.eventSource?.name),
  eventLocationId: (log) => log.eventLocation?.id,
  geoLocation: (log) => jsonCell(log.eventLocation?.geoLocation),
  comment: (log) => log.comment,
  custom1: (log) => log.custom1,
  custom2: (log) => log.custom2,
  createdAt: (log) => log.createdAt.toISOString(),
  updateAt: (log) => log.updateAt?.toISOString(),
  edits: (_, edits) => (edits.length > 0 ? JSON.stringify(edits) : null),
  erasedAt: (log) => log.erasedAt?.toISOString(),
};
const CELLS = Object.values(COLUMNS);

function nameCell(name: NameValue | null | undefined): Cell {
  return typeof name === 'string' ? name : jsonCell(name);
}

function jsonCell(given: unknown): Cell {
  return given === null || given === undefined ? null : JSON.stringify(given);
}

function csv(log: Log, edits: LogEdit[]): string {
  return `${CELLS.map((cell) => csvCell(cell(log, edits))).join()}\r\n`;
}

export const EXPORT_FORMATS: Record<'ndjson' | 'csv', ExportFormat> = {
  ndjson: {
    contentType: 'application/x-ndjson; charset=utf-8',
    head: '',
    line: ndjson,
    damagedLine: ({ id, code, message }) => `${JSON.stringify({ id, error: { code, message } })}\n`,
  },
  csv: {
    contentType: 'text/csv; charset=utf-8; header=present',
    head: `${Object.keys(COLUMNS).join()}\r\n`,
    line: csv,
    damagedLine: ({ id }) => `${csvCell(id)}${','.repeat(CELLS.length - 1)}\r\n`,
  },
};
