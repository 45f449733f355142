import { v7 } from 'uuid';

/** A new id: UUIDv7 (RFC 9562), so ids sort by the time they were made. */
export const uuidv7 = (): string => v7();

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether a string could be one of our ids; what could not be is unknown without a look in the database. */
export const isId = (text: string): boolean => UUID.test(text);

/** When an id was made, in milliseconds since 1970. */
export const timeOfId = (id: string): number => parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** The lowest id that could be made in a millisecond, for ranges of creation times. */
export function lowestIdAt(timeMs: number): string {
  const hex = Math.min(Math.max(timeMs, 0), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
