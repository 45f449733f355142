/** How exact a field of the browser is: characters of `2026-11-23T18:30:00`. */
const LENGTHS = { minute: 16, second: 19 } as const;

/** Writes a time for a field of the browser, in the time zone of the person; empty for a text that is no time. */
export function toField(at: string | Date | undefined, precision: keyof typeof LENGTHS = 'second'): string {
  const time = at === undefined ? new Date(NaN) : new Date(at);
  if (Number.isNaN(time.getTime())) return '';
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, LENGTHS[precision]);
}

/** Reads a field of the browser as a point in time; undefined while it is empty. */
export function fromField(text: string): string | undefined {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
