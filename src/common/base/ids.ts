import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const RANDOM_BYTES = 16;
// Random bytes for many ids. Asking the system for those of a single id takes longer than all other steps.
const pool = Buffer.alloc(256 * RANDOM_BYTES);
let poolUsed = pool.length;
let lastMs = 0;
let seq = 0;

/** Returns a new UUIDv7 (RFC 9562). Ids sort by creation time, and ids of one process by their order of creation. */
export function uuidv7(): string {
  const random = randomBytes();
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    // The counter starts in its lower half, so that it rarely overflows within a millisecond. After an overflow, the id gets the next
    // millisecond.
    seq = random.readUInt32BE(6) >>> 1;
  } else {
    seq = (seq + 1) >>> 0;
    if (seq === 0) lastMs++;
  }
  return v7({ msecs: lastMs, seq, random });
}

function randomBytes(): Buffer {
  if (poolUsed === pool.length) {
    randomFillSync(pool);
    poolUsed = 0;
  }
  return pool.subarray(poolUsed, (poolUsed += RANDOM_BYTES));
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Returns whether a string has the form of an id. Any other string is unknown without a query. */
export const isId = (text: string): boolean => UUID.test(text);

/** Returns the creation time of an id, in milliseconds since 1970. */
export const timeOfId = (id: string): number => parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** Returns the lowest id of a millisecond, for ranges of creation times. */
export function lowestIdAt(timeMs: number): string {
  const hex = Math.min(Math.max(timeMs, 0), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** Returns the 16 bytes of a UUID, for compact texts. */
export const bytesOfUuid = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

/** Formats 16 bytes as a UUID. */
export const uuidOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
