/** How limits are written in descriptions and errors: each from the constant that the check uses. */
const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

export const MIB = 1024 * 1024;
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Reads a size, a whole number without separators that may have one of these units, such as 10GiB. Undefined if it is none. */
export function parseBytes(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d+)([A-Za-z]*)$/.exec(text) ?? [];
  const exponent = unit === '' ? 0 : UNITS.indexOf(unit, 1);
  const bytes = Number(digits) * 1024 ** exponent;
  return exponent >= 0 && Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** Units that `parseBytes` takes, for errors. */
export const BYTE_UNITS = 'KiB, MiB, GiB or TiB';

/** Writes a count with separators, such as 1,000. */
export const asCount = (count: number): string => count.toLocaleString('en');

/** Writes a size in the largest unit that gives a whole number, such as 5 MiB. */
export function asBytes(bytes: number): string {
  let unit = 0;
  let count = bytes;
  for (; count % 1024 === 0 && count > 0 && unit < UNITS.length - 1; unit++) count /= 1024;
  return `${asCount(count)} ${UNITS[unit]}`;
}

/** These three write the number alone: a text has its own word for the unit. */
export const asSeconds = (ms: number): string => asCount(ms / SECOND_MS);
export const asHours = (ms: number): string => asCount(ms / HOUR_MS);
export const asDays = (ms: number): string => asCount(ms / DAY_MS);
