/** Units of sizes in descriptions and errors. */
const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

export const MIB = 1024 * 1024;
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Parses a size: a whole number without separators and an optional unit, such as 10GiB. Returns undefined for anything else. */
export function parseBytes(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d+)([A-Za-z]*)$/.exec(text) ?? [];
  const exponent = unit === '' ? 0 : UNITS.indexOf(unit, 1);
  const bytes = Number(digits) * 1024 ** exponent;
  return exponent >= 0 && Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** Units accepted by `parseBytes`, for errors. */
export const BYTE_UNITS = 'KiB, MiB, GiB or TiB';

/** Formats a count with separators, such as 1,000. */
export const asCount = (count: number): string => count.toLocaleString('en');

/** Formats a size in the largest unit with a whole number, such as 5 MiB. */
export function asBytes(bytes: number): string {
  let unit = 0;
  let count = bytes;
  for (; count % 1024 === 0 && count > 0 && unit < UNITS.length - 1; unit++) count /= 1024;
  return `${asCount(count)} ${UNITS[unit]}`;
}

/** These three format the number alone: the texts have their own words for the unit. */
export const asSeconds = (ms: number): string => asCount(ms / SECOND_MS);
export const asHours = (ms: number): string => asCount(ms / HOUR_MS);
export const asDays = (ms: number): string => asCount(ms / DAY_MS);

/** Options of an LRUCache for a number of entries. Its own `max` would reserve memory for all of them from the start. */
export const upToEntries = (most: number) => ({ maxSize: most, sizeCalculation: () => 1 });
