import { type KeyColumns, keyOf, NO_KEY } from '../../../common/idempotency/idempotency-key.js';
import { timeOfId, uuidv7 } from '../../../common/base/ids.js';
import type { CreateLogInput } from './log.inputs.js';
import type { LogContent, LogDetails } from '../records/log-row.js';

/** Operations with separate idempotency key namespaces. */
export type CreateOperation = 'createLog' | 'createLogBatch' | 'createSingleDocumentLogs';

/** Builds the content of a new record. Its id contains the creation time. */
export function contentOf(tenantId: string, input: CreateLogInput): LogContent {
  const id = uuidv7();
  return {
    id,
    tenantId,
    documentId: input.documentId,
    documentType: input.documentType,
    dateTime: input.dateTime,
    attributeId: input.attribute?.id ?? null,
    authorId: input.author?.id ?? null,
    action: input.action ?? null,
    comment: input.comment ?? null,
    custom1: input.custom1 ?? null,
    custom2: input.custom2 ?? null,
    details: detailsOf(input),
    createdAt: new Date(timeOfId(id)),
  };
}

/** Serializes the details as JSON, without absent members. */
function detailsOf({
  attribute,
  attributeNewValue,
  attributeOldValue,
  author,
  eventSource,
  eventLocation,
}: CreateLogInput): string {
  const details: LogDetails = {
    attribute: attribute ?? undefined,
    attributeNewValue: attributeNewValue ?? undefined,
    attributeOldValue: attributeOldValue ?? undefined,
    author: author ?? undefined,
    eventSource: eventSource ?? undefined,
    eventLocation: eventLocation ?? undefined,
  };
  return JSON.stringify(details);
}

/** Returns the stored idempotency key, prefixed with the operation. */
export function keyOfLog(operation: CreateOperation, input: CreateLogInput): KeyColumns {
  if (input.idempotencyKey === null || input.idempotencyKey === undefined) return NO_KEY;
  const { idempotencyKey, ...content } = input;
  return keyOf(`${operation}:${idempotencyKey}`, content);
}
