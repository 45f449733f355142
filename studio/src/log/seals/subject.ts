import type { WholeRecord } from '../data/log-record';

type Edit = NonNullable<WholeRecord['edits']>[number];

/** Displayed values of a record or an edit, to be compared with the sealed ones. */
export interface Subject {
  id: string;
  /** Members that are never erased. */
  lasting: Readonly<Record<string, unknown>>;
  /** Members that an erasure destroys; undefined afterwards. */
  personal: Readonly<Record<string, unknown>> | undefined;
}

/** Returns a record as created, with the edits of its texts undone. */
export function subjectOfRecord(record: WholeRecord): Subject {
  const { id, documentId, documentType, dateTime, createdAt, attributeId, action, authorId, erasedAt } = record;
  const { attribute, attributeOldValue, attributeNewValue, author, eventSource, eventLocation } = record;
  const original = (field: 'comment' | 'custom1' | 'custom2') => {
    const first = record.edits?.find((edit) => edit.field === field);
    return first ? first.oldValue : record[field];
  };
  return {
    id,
    lasting: { type: 'log', id, documentId, documentType, dateTime, createdAt, attributeId, action },
    personal: erasedAt
      ? undefined
      : {
          authorId,
          comment: original('comment'),
          custom1: original('custom1'),
          custom2: original('custom2'),
          attribute,
          attributeOldValue,
          attributeNewValue,
          author,
          eventSource,
          eventLocation,
        },
  };
}

/** Returns one change of the notes of a record. */
export function subjectOfEdit({ id, field, dateTime, oldValue, newValue }: Edit, record: WholeRecord): Subject {
  return {
    id: id!,
    lasting: { type: 'edit', id, logId: record.id, field, dateTime },
    personal: record.erasedAt ? undefined : { oldValue, newValue },
  };
}

/** Returns whether sealed members equal displayed ones. A null member equals a missing one. */
export const fits = (sealed: Readonly<Record<string, unknown>>, shown: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(shown).every(([name, value]) => isSame(sealed[name], value));

function isSame(one: unknown, other: unknown): boolean {
  const a = one ?? null;
  const b = other ?? null;
  if (typeof a !== 'object' || typeof b !== 'object') return a === b;
  const left = (a ?? {}) as Record<string, unknown>;
  const right = (b ?? {}) as Record<string, unknown>;
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((name) => isSame(left[name], right[name]));
}
