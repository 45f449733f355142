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
/** Maximum characters of each form of a value. */
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
  .describe('Name, in one or several languages.');

const named = { id: optionalId.describe(`Up to ${asCount(MAX_NAME)} characters.`), name: translatedName };

const AttributeInput = input('AttributeInput', { registerIn, description: 'Part of a document affected by the event.' }, named);

const form = text({ max: MAX_VALUE }).nullish();
const ValueInput = input(
  'ValueInput',
  { registerIn, description: `Value in two forms, each of up to ${asCount(MAX_VALUE)} characters.` },
  {
    raw: form.describe(`Machine-readable value, up to ${asCount(MAX_VALUE)} characters.`),
    display: form.describe(`Human-readable value, up to ${asCount(MAX_VALUE)} characters.`),
  },
);

const AuthorInput = input(
  'AuthorInput',
  { registerIn, description: `Author of an event. Each field has ${UP_TO_NAME}` },
  {
    id: optionalId.describe(`Id in the application, ${UP_TO_NAME}`),
    name: optional.describe(`Display name, ${UP_TO_NAME}`),
    profile: optional.describe(`Role, such as admin, user or customer, ${UP_TO_NAME}`),
  },
);

const EventSourceInput = input(
  'EventSourceInput',
  { registerIn, description: 'Application or device that emitted an event.' },
  named,
);

const EventLocationInput = input(
  'EventLocationInput',
  { registerIn, description: 'Location of an event.' },
  {
    id: optional.describe(`IP address, ${UP_TO_NAME}`),
    geoLocation: withFault(z.array(z.number().nullable()), locationFault)
      .nullish()
      .describe('Longitude (-180 to 180) and latitude (-90 to 90), in decimal degrees.'),
  },
);

const document = {
  documentId: id(text({ min: 1, max: MAX_NAME })).describe(REQUIRED),
  documentType: text({ min: 1, max: MAX_NAME }).describe(REQUIRED),
  dateTime: withFault(z.date(), timeFault).describe('Time of the event, from year 1 to 9999.'),
};
const change = {
  attribute: nested(AttributeInput).nullish().describe('Part of the document affected by the event.'),
  attributeNewValue: nested(ValueInput).nullish().describe('Value after the event.'),
  attributeOldValue: nested(ValueInput).nullish().describe('Value before the event.'),
};
const origin = (what: string) => ({
  author: nested(AuthorInput).nullish().describe(`Author of the ${what}.`),
  eventSource: nested(EventSourceInput).nullish().describe(`Application or device that emitted the ${what}.`),
  eventLocation: nested(EventLocationInput).nullish().describe(`Location of the ${what}.`),
});
const texts = { comment: free, custom1: free, custom2: free };
const action = { action: optional.describe(`Kind of event, such as create, update or delete, ${UP_TO_NAME}`) };
const key = {
  idempotencyKey: text(KEY_BOUNDS)
    .nullish()
    .describe(
      `${KEY_BOUNDS.min} to ${asCount(KEY_BOUNDS.max)} characters, unique within the tenant and operation. Repeating it with ` +
        'the same content returns the first result; with other content, CONFLICT.',
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
  { registerIn, description: 'Change of a document.' },
  { ...change, ...texts, ...key },
);

export const CreateSingleDocumentLogsInput = input(
  'CreateSingleDocumentLogsInput',
  { registerIn, description: 'Changes of one document, with their shared fields.' },
  {
    ...document,
    changes: z.array(nested(DocumentChangeInput)).describe(`Changes to store, 1 to ${asCount(MAX_RECORDS)}.`),
    ...origin('changes'),
    ...action,
  },
);
export type CreateSingleDocumentLogsInput = Given<typeof CreateSingleDocumentLogsInput>;

export const UpdateLogInput = input(
  'UpdateLogInput',
  { registerIn, description: 'Update of a record. Absent fields remain unchanged; null clears a field.' },
  { id: id(text({ max: MAX_NAME })).describe('Id of the record.'), ...texts },
);
export type UpdateLogInput = Given<typeof UpdateLogInput>;

function nameFault(name: NameValue): string | undefined {
  if (typeof name === 'string') return textFault(name, { max: MAX_NAME });
  const entries = Object.entries(name);
  if (entries.length > MAX_LANGUAGES) return `has ${entries.length} languages; send at most ${MAX_LANGUAGES}`;
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
  return right ? undefined : 'must be two numbers: longitude (-180 to 180) and latitude (-90 to 90)';
}

function isWithin(value: number | null | undefined, bound: number): boolean {
  return typeof value === 'number' && Math.abs(value) <= bound;
}
