import { badInput } from '../../../common/errors/app-error.js';
import { parseDateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { checkText, MAX_COMMENT, MAX_NAME } from '../../../common/validation/text.js';
import type { LogsFilter } from './logs-filter.input.js';

const DAY_MS = 86_400_000;
const BARE_DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The fields that records are found by, and the maximum length of each. */
const MAX_LENGTHS = {
  id: MAX_NAME,
  documentId: MAX_NAME,
  documentType: MAX_NAME,
  authorId: MAX_NAME,
  attributeId: MAX_NAME,
  action: MAX_NAME,
  custom1: MAX_COMMENT,
  custom2: MAX_COMMENT,
};

export type FilterField = keyof typeof MAX_LENGTHS;
export const FILTER_FIELDS = Object.keys(MAX_LENGTHS) as FilterField[];

/** The records that a filter selects; bounds are inclusive. */
export type LogsWanted = Partial<Record<FilterField, string>> & { from?: Date; to?: Date };

/** The prefixes of fields in errors: in GraphQL they have a path. */
interface Paths {
  fields: string;
  times: string;
}

/** @throws BAD_USER_INPUT that names the field */
export function logsWanted(filter: LogsFilter, paths: Paths = { fields: 'filter.', times: 'filter.dateTime.' }): LogsWanted {
  const wanted: LogsWanted = {};
  for (const field of FILTER_FIELDS) {
    const value = filter[field];
    if (value === null || value === undefined) continue;
    checkText(paths.fields + field, value, { max: MAX_LENGTHS[field] });
    wanted[field] = value;
  }
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

/** A date without time means the whole of that day. */
function endOf(field: string, given: string | null | undefined): Date | undefined {
  const time = timeOf(field, given);
  return time && BARE_DATE.test(given!) ? new Date(time.getTime() + DAY_MS - 1) : time;
}
