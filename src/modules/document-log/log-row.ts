import type { LogEditModel, LogModel } from '../../generated/sqlite/models.js';

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
