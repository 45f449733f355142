import { z } from 'zod';
import { badInput } from '../../../common/base/app-error.js';
import { parseDateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { type Given, input, nested } from '../../../common/graphql/types/input.js';
import { checkInput, MAX_COMMENT, MAX_NAME, text } from '../../../common/base/text.js';
import { DocumentLogSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = DocumentLogSchema;
const DAY_MS = 86_400_000;
const BARE_DATE = /^\d{4}-\d{2}-\d{2}$/;

const idOrWord = text({ max: MAX_NAME }).nullish();
const freeText = text({ max: MAX_COMMENT }).nullish();

/** Filterable fields. */
const fields = {
  id: idOrWord.describe('Id of the record.'),
  documentId: idOrWord.describe('Id of the document.'),
  documentType: idOrWord.describe('Exact type, case-sensitive.'),
  authorId: idOrWord.describe('Id of the author.'),
  attributeId: idOrWord.describe('Id of the attribute.'),
  action: idOrWord.describe('Exact action, case-sensitive.'),
  custom1: freeText.describe('Exact text, case-sensitive.'),
  custom2: freeText.describe('Exact text, case-sensitive.'),
};
const fieldsRules = z.object(fields);

export type FilterField = keyof typeof fields;
export const FILTER_FIELDS = Object.keys(fields) as FilterField[];

const DateFilter = input(
  'DateFilter',
  {
    registerIn,
    description:
      'Range of event times as DateTime, inclusive and optional at both ends. A date without time in to includes that whole day.',
  },
  {
    from: z.string().nullish().describe('Earliest time, inclusive; unbounded by default.'),
    to: z
      .string()
      .nullish()
      .describe('Latest time, inclusive; unbounded by default. A date without time includes that whole day.'),
  },
);

export const LogsFilter = input(
  'LogsFilter',
  { registerIn, description: 'Filter of records. All given fields must match exactly.' },
  { ...fields, dateTime: nested(DateFilter).nullish().describe('Range of event times.') },
);
export type LogsFilter = Given<typeof LogsFilter>;

/** Parsed filter. Bounds are inclusive. */
export type LogsWanted = Partial<Record<FilterField, string>> & { from?: Date; to?: Date };

/** Input paths in error messages, by default those of GraphQL. */
interface Paths {
  fields: string;
  times: string;
}

/** Parses a filter. @throws BAD_USER_INPUT that names the field */
export function logsWanted(filter: LogsFilter, paths: Paths = { fields: 'filter', times: 'filter.dateTime.' }): LogsWanted {
  const given = Object.entries(checkInput(fieldsRules, filter, paths.fields));
  const wanted: LogsWanted = Object.fromEntries(given.filter(([, value]) => typeof value === 'string'));
  wanted.from = timeOf(`${paths.times}from`, filter.dateTime?.from);
  wanted.to = endOf(`${paths.times}to`, filter.dateTime?.to);
  if (wanted.from && wanted.to && wanted.from > wanted.to) throw badInput(`${paths.times}from`, 'must not be after to');
  return wanted;
}

function timeOf(field: string, given: string | null | undefined): Date | undefined {
  if (given === null || given === undefined) return undefined;
  const time = parseDateTime(given);
  if (!time) throw badInput(field, 'must be a date or a date and time, such as 2023-07-18 or 2023-07-18T15:00:00Z');
  return time;
}

/** Parses an upper bound. A date without time includes that whole day. */
function endOf(field: string, given: string | null | undefined): Date | undefined {
  const time = timeOf(field, given);
  return time && BARE_DATE.test(given!) ? new Date(time.getTime() + DAY_MS - 1) : time;
}
