import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

const FORM = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})?)?$/;
const RIGHT = '2023-07-18T15:00:00, 2023-07-18T15:00:00.000Z, 2023-07-18T17:00:00+02:00 or 2023-07-18';

/**
 * Parses a date (00:00:00 GMT), or a date and time with or without zone (GMT by default, regardless of the server's zone).
 * Refuses times that do not exist, such as 30 February or hour 24. Truncates fractions to milliseconds.
 */
export function parseDateTime(text: string): Date | undefined {
  const match = FORM.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as Six;
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  local.setUTCHours(hour, minute, second, Math.trunc(Number(match[7] ?? 0) * 1000));
  const exists = local.getUTCMonth() === month - 1 && local.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  const offsetMinutes = zoneOffset(match[8]);
  if (!exists || offsetMinutes === undefined) return undefined;
  return new Date(local.getTime() - offsetMinutes * 60_000);
}

type Six = [number, number, number, number, number, number];

function zoneOffset(zone = 'Z'): number | undefined {
  if (zone.toUpperCase() === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

function read(value: unknown): Date {
  const parsed = typeof value === 'string' ? parseDateTime(value) : undefined;
  if (!parsed) throw new GraphQLError(`DateTime cannot be ${describe(value)}; it must be of the form ${RIGHT}`);
  return parsed;
}

/** Describes a value for an error. Names only the kind of a list or object, which can be nested deeply. */
function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60).toWellFormed());
  return Array.isArray(value) ? 'a list' : typeof value === 'object' && value !== null ? 'an object' : String(value);
}

export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description:
    'A point in time. Read as a date (2023-07-18, meaning 00:00:00), a date and time without zone (2023-07-18T15:00:00), ' +
    'both GMT, or with zone. Written as 2023-07-18T15:00:00.000Z.',
  serialize: (value) => (value as Date).toISOString(),
  parseValue: read,
  parseLiteral: (node) => read(node.kind === Kind.STRING ? node.value : undefined),
});
