import { z } from 'zod';
import { MAX_COMMENT, MAX_NAME, text, textFault } from '../../../common/validation/text.js';
import { timeFault } from '../../../common/validation/time.js';
import { COORDINATES } from '../models/log.model.js';
import type { NameValue } from '../models/name.scalar.js';
import type { CreateLogInput } from './log.inputs.js';

const MAX_VALUE = 65_536;
const MAX_KEY = 256;
const MAX_LANGUAGES = 100;

type Given = CreateLogInput;

/** What is wrong with which field of a record. */
export interface Fault {
  field: string;
  message: string;
}

// A table of our own: for a batch of 1,000 records zod takes as long as the database.
const TEXTS: { field: string; min?: number; max: number; of: (given: Given) => string | null | undefined }[] = [
  { field: 'documentId', min: 1, max: MAX_NAME, of: (given) => given.documentId },
  { field: 'documentType', min: 1, max: MAX_NAME, of: (given) => given.documentType },
  { field: 'attribute.id', max: MAX_NAME, of: (given) => given.attribute?.id },
  { field: 'attributeNewValue.raw', max: MAX_VALUE, of: (given) => given.attributeNewValue?.raw },
  { field: 'attributeNewValue.display', max: MAX_VALUE, of: (given) => given.attributeNewValue?.display },
  { field: 'attributeOldValue.raw', max: MAX_VALUE, of: (given) => given.attributeOldValue?.raw },
  { field: 'attributeOldValue.display', max: MAX_VALUE, of: (given) => given.attributeOldValue?.display },
  { field: 'author.id', max: MAX_NAME, of: (given) => given.author?.id },
  { field: 'author.name', max: MAX_NAME, of: (given) => given.author?.name },
  { field: 'author.profile', max: MAX_NAME, of: (given) => given.author?.profile },
  { field: 'eventSource.id', max: MAX_NAME, of: (given) => given.eventSource?.id },
  { field: 'eventLocation.id', max: MAX_NAME, of: (given) => given.eventLocation?.id },
  { field: 'comment', max: MAX_COMMENT, of: (given) => given.comment },
  { field: 'custom1', max: MAX_COMMENT, of: (given) => given.custom1 },
  { field: 'custom2', max: MAX_COMMENT, of: (given) => given.custom2 },
  { field: 'action', max: MAX_NAME, of: (given) => given.action },
  { field: 'idempotencyKey', min: 1, max: MAX_KEY, of: (given) => given.idempotencyKey },
];

/** The first rule that a record breaks, or nothing. */
export function faultOf(given: Given): Fault | undefined {
  for (const bounds of TEXTS) {
    const value = bounds.of(given);
    const message = typeof value === 'string' ? textFault(value, bounds) : undefined;
    if (message) return { field: bounds.field, message };
  }
  return (
    found('dateTime', timeFault(given.dateTime)) ??
    found('attribute.name', nameFault(given.attribute?.name)) ??
    found('eventSource.name', nameFault(given.eventSource?.name)) ??
    found('eventLocation.geoLocation', geoFault(given.eventLocation?.geoLocation))
  );
}

function found(field: string, message: string | undefined): Fault | undefined {
  return message === undefined ? undefined : { field, message };
}

function nameFault(name: NameValue | null | undefined): string | undefined {
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

function geoFault(place: (number | null)[] | null | undefined): string | undefined {
  if (place === null || place === undefined) return undefined;
  const [longitude, latitude] = place;
  const right = place.length === COORDINATES && isWithin(longitude, 180) && isWithin(latitude, 90);
  return right ? undefined : 'must be two numbers: longitude from -180 to 180, then latitude from -90 to 90';
}

function isWithin(value: number | null | undefined, bound: number): boolean {
  return typeof value === 'number' && Math.abs(value) <= bound;
}

const free = text({ max: MAX_COMMENT }).nullish();

export const updateLogRules = z.strictObject({ id: text({ max: MAX_NAME }), comment: free, custom1: free, custom2: free });
