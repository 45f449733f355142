import type { LogEditModel, LogModel } from '../../generated/sqlite/models.js';
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

/** The members of `details`, as far as they were given. */
export type LogDetails = Pick<
  Log,
  'attribute' | 'attributeNewValue' | 'attributeOldValue' | 'author' | 'eventSource' | 'eventLocation'
>;

/**
 * What callers see of a row. `editsOf` reads those of its whole page at once. Member by member: an object that is spread
 * into another gets a hidden class of its own, a kilobyte that V8 frees late, and exports make millions.
 */
export function toLog(row: ShownLogRow, editsOf: (id: string) => Promise<LogEdit[]>): Log {
  const details = JSON.parse(row.details) as LogDetails;
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
