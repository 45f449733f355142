import { z } from 'zod';
import { type Given, id, input, nested } from '../../../common/graphql/types/input.js';
import { KEY_BOUNDS } from '../../../common/idempotency/idempotency-key.js';
import { asCount } from '../../../common/base/amounts.js';
import { MAX_COMMENT, MAX_NAME, text, textFault, withFault } from '../../../common/base/text.js';
import { timeFault } from '../../../common/base/time.js';
import { COORDINATES } from '../models/log.model.js';
import { MAX_LANGUAGES, Name, type NameValue } from '../models/name.scalar.js';
import { DocumentLogSchema } from '../../../common/graphql/types/schemas.js';
import { MAX_RECORDS } from './log-results.model.js';

const registerIn = DocumentLogSchema;
/** Characters of each form of a value. */
export const MAX_VALUE = 65_536;
const UP_TO_NAME = `up to ${asCount(MAX_NAME)} characters.`;
const REQUIRED = `1 to ${asCount(MAX_NAME)} characters.`;

const optional = text({ max: MAX_NAME }).nullish();
const optionalId = id(text({ max: MAX_NAME })).nullish();
const free = text({ max: MAX_COMMENT })
  .nullish()
  .describe(`Up to ${asCount(MAX_COMMENT)} characters.`);

const translatedName = withFault(z.custom<NameValue>(), nameFault)
  .meta({ graphql: { type: () => Name } })
  .nullish()
  .describe('Its name, in one language or several.');

const named = { id: optionalId.describe(`Up to ${asCount(MAX_NAME)} characters.`), name: translatedName };

const AttributeInput = input(
  'AttributeInput',
  { registerIn, description: 'The part of a document that the event is about.' },
  named,
);

const form = text({ max: MAX_VALUE }).nullish();
const ValueInput = input(
  'ValueInput',
  { registerIn, description: `A value; each form up to ${asCount(MAX_VALUE)} characters.` },
  {
    raw: form.describe(`The value as programs read it, up to ${asCount(MAX_VALUE)} characters.`),
    display: form.describe(`The value as people read it, up to ${asCount(MAX_VALUE)} characters.`),
  },
);

const AuthorInput = input(
  'AuthorInput',
  { registerIn, description: `Every field ${UP_TO_NAME}` },
  {
    id: optionalId.describe(`Id in the application, ${UP_TO_NAME}`),
    name: optional.describe(`Name, as a person reads it, ${UP_TO_NAME}`),
    profile: optional.describe(`Such as an admin, user or customer role, ${UP_TO_NAME}`),
  },
);

const EventSourceInput = input(
  'EventSourceInput',
  { registerIn, description: 'The application or device that an event came from.' },
  named,
);

const EventLocationInput = input(
  'EventLocationInput',
  { registerIn, description: 'Where an event came from.' },
  {
    id: optional.describe(`The IP address; ${UP_TO_NAME}`),
    geoLocation: withFault(z.array(z.number().nullable()), locationFault)
      .nullish()
      .describe('Longitude (-180 to 180), then latitude (-90 to 90), in decimal degrees.'),
  },
);

const document = {
  documentId: id(text({ min: 1, max: MAX_NAME })).describe(REQUIRED),
  documentType: text({ min: 1, max: MAX_NAME }).describe(REQUIRED),
  dateTime: withFault(z.date(), timeFault).describe('When the event occurred, from year 1 to 9999.'),
};
const change = {
  attribute: nested(AttributeInput).nullish().describe('The part of the document that the event is about.'),
  attributeNewValue: nested(ValueInput).nullish().describe('The value after the event.'),
  attributeOldValue: nested(ValueInput).nullish().describe('The value before the event.'),
};
const origin = (what: string) => ({
  author: nested(AuthorInput).nullish().describe(`Who caused the ${what}.`),
  eventSource: nested(EventSourceInput).nullish().describe(`The application or device that the ${what} came from.`),
  eventLocation: nested(EventLocationInput).nullish().describe(`Where the ${what} came from.`),
});
const texts = { comment: free, custom1: free, custom2: free };
const action = { action: optional.describe(`Such as create, update or delete; ${UP_TO_NAME}`) };
const key = {
  idempotencyKey: text(KEY_BOUNDS)
    .nullish()
    .describe(
      `${KEY_BOUNDS.min} to ${asCount(KEY_BOUNDS.max)} characters, unique within the tenant and operation. A repeat with the ` +
        'same content returns the first result; other content is a CONFLICT.',
    ),
};

export const CreateLogInput = input(
  'CreateLogInput',
  { registerIn, description: 'One event.' },
  { ...document, ...change, ...origin('event'), ...texts, ...action, ...key },
);
export type CreateLogInput = Given<typeof CreateLogInput>;

const DocumentChangeInput = input(
  'DocumentChangeInput',
  { registerIn, description: 'One change of the document.' },
  { ...change, ...texts, ...key },
);

export const CreateSingleDocumentLogsInput = input(
  'CreateSingleDocumentLogsInput',
  { registerIn, description: 'The changes, and the fields that they share.' },
  {
    ...document,
    changes: z.array(nested(DocumentChangeInput)).describe(`1 to ${asCount(MAX_RECORDS)}.`),
    ...origin('changes'),
    ...action,
  },
);
export type CreateSingleDocumentLogsInput = Given<typeof CreateSingleDocumentLogsInput>;

export const UpdateLogInput = input(
  'UpdateLogInput',
  { registerIn, description: 'An absent field stays as it is; null clears it.' },
  { id: id(text({ max: MAX_NAME })).describe('Id of the record.'), ...texts },
);
export type UpdateLogInput = Given<typeof UpdateLogInput>;

function nameFault(name: NameValue): string | undefined {
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

function locationFault(place: (number | null)[]): string | undefined {
  const [longitude, latitude] = place;
  const right = place.length === COORDINATES && isWithin(longitude, 180) && isWithin(latitude, 90);
  return right ? undefined : 'must be two numbers: longitude from -180 to 180, then latitude from -90 to 90';
}

function isWithin(value: number | null | undefined, bound: number): boolean {
  return typeof value === 'number' && Math.abs(value) <= bound;
}
