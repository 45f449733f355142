import type { EditContent, LogContent } from '../records/log-row.js';

/**
 * The canonical JSON of a record as it was created (RFC 8785): the members are in order, and JSON.stringify writes strings as
 * it requires. Absent members are left out.
 */
export function canonicalLog(log: LogContent): string {
  return JSON.stringify({
    action: log.action ?? undefined,
    attributeId: log.attributeId ?? undefined,
    authorId: log.authorId ?? undefined,
    comment: log.comment ?? undefined,
    createdAt: log.createdAt.toISOString(),
    custom1: log.custom1 ?? undefined,
    custom2: log.custom2 ?? undefined,
    dateTime: log.dateTime.toISOString(),
    details: log.details,
    documentId: log.documentId,
    documentType: log.documentType,
    id: log.id,
    tenantId: log.tenantId,
    type: 'log',
  });
}

export function canonicalEdit(edit: EditContent): string {
  return JSON.stringify({
    dateTime: edit.dateTime.toISOString(),
    field: edit.field,
    id: edit.id,
    logId: edit.logId,
    newValue: edit.newValue ?? undefined,
    oldValue: edit.oldValue ?? undefined,
    tenantId: edit.tenantId,
    type: 'edit',
  });
}
