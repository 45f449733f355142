import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const RANDOM_BYTES = 16;
const MAX_COUNT = 2 ** 32 - 1;
/** Drawn for many ids at once: to ask the system for each costs more than the rest of the id. */
const pool = new Uint8Array(256 * RANDOM_BYTES);
let used = pool.length;
let last = { msecs: 0, seq: 0 };

function random(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += RANDOM_BYTES;
  return pool.slice(used - RANDOM_BYTES, used);
}

/** A new id: UUIDv7 (RFC 9562), greater than all that this process made before. */
export function uuidv7(): string {
  const bytes = random();
  const now = Date.now();
  if (now > last.msecs) last = { msecs: now, seq: new DataView(bytes.buffer).getUint32(0) >>> 1 };
  else last = last.seq < MAX_COUNT ? { ...last, seq: last.seq + 1 } : { msecs: last.msecs + 1, seq: 0 };
  return v7({ random: bytes, ...last });
}

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
