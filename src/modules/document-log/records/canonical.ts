import { type EditContent, ERASED, type LogContent } from './log-row.js';

const NO_VALUES = { newValue: null, oldValue: null };

// Canonical JSON (RFC 8785): members are sorted, absent ones omitted. JSON.stringify already writes strings as required.

/** Returns the leaf content of a record, with personal members replaced by their hash. */
export const canonicalLog = (log: LogContent): string => remainder(log, log.personalHash ?? undefined);

/** Returns the members of a record that identify no person. */
const remainder = (log: LogContent, personalHash?: string): string =>
  JSON.stringify({
    action: log.action ?? undefined,
    attributeId: log.attributeId ?? undefined,
    createdAt: log.createdAt.toISOString(),
    dateTime: log.dateTime.toISOString(),
    documentId: log.documentId,
    documentType: log.documentType,
    id: log.id,
    personalHash,
    tenantId: log.tenantId,
    type: 'log',
  });

/** Returns the members of a record that can identify a person, as of its creation. */
export const personalOfLog = (log: LogContent): string =>
  JSON.stringify({
    authorId: log.authorId ?? undefined,
    comment: log.comment ?? undefined,
    custom1: log.custom1 ?? undefined,
    custom2: log.custom2 ?? undefined,
    details: log.details,
  });

/** Returns the leaf content of an edit. The edit of an erasure includes its value, a hash. */
export function canonicalEdit(edit: EditContent): string {
  const { newValue, oldValue } = edit.field === ERASED ? edit : NO_VALUES;
  return JSON.stringify({
    dateTime: edit.dateTime.toISOString(),
    field: edit.field,
    id: edit.id,
    logId: edit.logId,
    newValue: newValue ?? undefined,
    oldValue: oldValue ?? undefined,
    personalHash: edit.personalHash ?? undefined,
    tenantId: edit.tenantId,
    type: 'edit',
  });
}

export const personalOfEdit = ({ newValue, oldValue }: EditContent): string =>
  JSON.stringify({ newValue: newValue ?? undefined, oldValue: oldValue ?? undefined });

/** Returns the remains of an erased record and of its edits, oldest first. */
export const canonicalRemainder = (log: LogContent, edits: Pick<EditContent, 'id' | 'field' | 'dateTime'>[]): string =>
  JSON.stringify({ edits: edits.map(({ id, field, dateTime }) => [id, field, dateTime.toISOString()]), log: remainder(log) });
