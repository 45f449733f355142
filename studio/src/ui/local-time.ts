import { isUtc } from './zone';

/** Precision of a browser field: characters of `2026-11-23T18:30:00`. */
const LENGTHS = { minute: 16, second: 19 } as const;

/** Formats a time for a browser field, in the chosen zone; empty for an invalid text. */
export function toField(at: string | Date | undefined, precision: keyof typeof LENGTHS = 'second'): string {
  const time = at === undefined ? new Date(NaN) : new Date(at);
  if (Number.isNaN(time.getTime())) return '';
  const offsetMs = isUtc() ? 0 : time.getTimezoneOffset() * 60_000;
  return new Date(time.getTime() - offsetMs).toISOString().slice(0, LENGTHS[precision]);
}

/** Parses a browser field; undefined while it is empty. */
export function fromField(text: string): string | undefined {
  const time = new Date(isUtc() && text ? `${text}Z` : text);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
