import { z } from 'zod';
import { KEY_BOUNDS } from '../../../common/idempotency/idempotency-key.js';
import { MAX_COMMENT, MAX_NAME, text, textFault } from '../../../common/validation/text.js';
import { timeFault } from '../../../common/validation/time.js';
import { COORDINATES } from '../models/log.model.js';
import type { NameValue } from '../models/name.scalar.js';
import type { CreateLogInput } from './log.inputs.js';
import { MAX_LANGUAGES, MAX_VALUE } from '../models/limits.js';

/** A broken rule: the field, and what is wrong with it. */
export interface Violation {
  field: string;
  message: string;
}

// A table instead of zod, which for a batch of 1,000 records takes as long as the database.
const TEXTS: { field: string; min?: number; max: number; read: (input: CreateLogInput) => string | null | undefined }[] = [
  { field: 'documentId', min: 1, max: MAX_NAME, read: (input) => input.documentId },
  { field: 'documentType', min: 1, max: MAX_NAME, read: (input) => input.documentType },
  { field: 'attribute.id', max: MAX_NAME, read: (input) => input.attribute?.id },
  { field: 'attributeNewValue.raw', max: MAX_VALUE, read: (input) => input.attributeNewValue?.raw },
  { field: 'attributeNewValue.display', max: MAX_VALUE, read: (input) => input.attributeNewValue?.display },
  { field: 'attributeOldValue.raw', max: MAX_VALUE, read: (input) => input.attributeOldValue?.raw },
  { field: 'attributeOldValue.display', max: MAX_VALUE, read: (input) => input.attributeOldValue?.display },
  { field: 'author.id', max: MAX_NAME, read: (input) => input.author?.id },
  { field: 'author.name', max: MAX_NAME, read: (input) => input.author?.name },
  { field: 'author.profile', max: MAX_NAME, read: (input) => input.author?.profile },
  { field: 'eventSource.id', max: MAX_NAME, read: (input) => input.eventSource?.id },
  { field: 'eventLocation.id', max: MAX_NAME, read: (input) => input.eventLocation?.id },
  { field: 'comment', max: MAX_COMMENT, read: (input) => input.comment },
  { field: 'custom1', max: MAX_COMMENT, read: (input) => input.custom1 },
  { field: 'custom2', max: MAX_COMMENT, read: (input) => input.custom2 },
  { field: 'action', max: MAX_NAME, read: (input) => input.action },
  { field: 'idempotencyKey', ...KEY_BOUNDS, read: (input) => input.idempotencyKey },
];

/** Returns the first rule that a record breaks, if any. */
export function violationIn(input: CreateLogInput): Violation | undefined {
  for (const bounds of TEXTS) {
    const value = bounds.read(input);
    const message = typeof value === 'string' ? textFault(value, bounds) : undefined;
    if (message) return { field: bounds.field, message };
  }
  return (
    violation('dateTime', timeFault(input.dateTime)) ??
    violation('attribute.name', wrongName(input.attribute?.name)) ??
    violation('eventSource.name', wrongName(input.eventSource?.name)) ??
    violation('eventLocation.geoLocation', wrongLocation(input.eventLocation?.geoLocation))
  );
}

function violation(field: string, message: string | undefined): Violation | undefined {
  return message === undefined ? undefined : { field, message };
}

function wrongName(name: NameValue | null | undefined): string | undefined {
  if (name === null || name === undefined) return undefined;
  if (typeof name === 'string') return textFault(name, { max: MAX_NAME });
  const entries = Object.entries(name);
  if (entries.length > MAX_LANGUAGES) return `must have at most ${MAX_LANGUAGES} languages, has ${entries.length}`;
  for (const [language, inLanguage] of entries) {
    const tag = textFault(language, { min: 1, max: MAX_NAME });
    if (tag) return `a language tag ${tag}`;
    const message = textFault(inLanguage, { max: MAX_NAME });
    if (message) return message;
  }
  return undefined;
}

function wrongLocation(place: (number | null)[] | null | undefined): string | undefined {
  if (place === null || place === undefined) return undefined;
  const [longitude, latitude] = place;
  const right = place.length === COORDINATES && isWithin(longitude, 180) && isWithin(latitude, 90);
  return right ? undefined : 'must be two numbers: longitude from -180 to 180, then latitude from -90 to 90';
}

function isWithin(value: number | null | undefined, bound: number): boolean {
  return typeof value === 'number' && Math.abs(value) <= bound;
}

const freeText = text({ max: MAX_COMMENT }).nullish();

export const updateLogRules = z.strictObject({
  id: text({ max: MAX_NAME }),
  comment: freeText,
  custom1: freeText,
  custom2: freeText,
});
