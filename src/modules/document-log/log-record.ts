import { contentHash } from '../../common/json/canonical-json.js';
import { timeOfId, uuidv7 } from '../../common/ids/ids.js';
import type { CreateLogInput } from './inputs/log.inputs.js';
import type { LogContent, LogDetails } from './log-row.js';

/** The operations whose idempotency keys are kept apart. */
export type CreateOperation = 'createLog' | 'createLogBatch' | 'createSingleDocumentLogs';

/** A new record of what was given. Its id says when it was made. */
export function contentOf(tenantId: string, given: CreateLogInput): LogContent {
  const id = uuidv7();
  return {
    id,
    tenantId,
    documentId: given.documentId,
    documentType: given.documentType,
    dateTime: given.dateTime,
    attributeId: given.attribute?.id ?? null,
    authorId: given.author?.id ?? null,
    action: given.action ?? null,
    comment: given.comment ?? null,
    custom1: given.custom1 ?? null,
    custom2: given.custom2 ?? null,
    details: detailsOf(given),
    createdAt: new Date(timeOfId(id)),
  };
}

/** As JSON, which leaves out what was not given. */
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

/** What is stored of a caller's key: the key under the operation that it is for, and the content that it came with. */
export function idempotencyOf(operation: CreateOperation, input: CreateLogInput) {
  if (input.idempotencyKey === null || input.idempotencyKey === undefined) return { idempotencyKey: null, inputHash: null };
  const { idempotencyKey, ...content } = input;
  return { idempotencyKey: `${operation}:${idempotencyKey}`, inputHash: contentHash(content) };
}
