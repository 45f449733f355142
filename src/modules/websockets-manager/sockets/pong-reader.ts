import type { Socket } from 'node:net';

const PONG = 0x8a;
const MASKED = 0x80;
/** The header and mask of a frame with up to 125 bytes from a client. */
const HEAD_BYTES = 6;
const MAX_DIGITS = 15;
const [ZERO, NINE] = [0x30, 0x39];

export interface PongListener {
  /** A pong with a number came. */
  ponged(sequence: number, payloadBytes: number): void;
  /** Bytes came; their pongs are known by now. */
  received(): void;
}

/**
 * Reads what a client sends as long as it is pongs with numbers in whole frames, which is all that most clients ever send. From the
 * first other frame on, the listeners that the socket had read on: those of ws. They cost several times as much.
 */
export function readPongs(socket: Socket, listener: PongListener): void {
  const others = socket.listeners('data') as ((bytes: Buffer) => void)[];
  const received = (): void => listener.received();
  const read = (bytes: Buffer): void => {
    const rest = takePongs(bytes, listener);
    if (rest.length > 0) {
      socket.off('data', read);
      for (const other of others) socket.on('data', other);
      for (const other of others) other.call(socket, rest);
      socket.on('data', received);
    }
    received();
  };
  socket.on('data', read);
  for (const other of others) socket.off('data', other);
}

/** Returns the bytes from the first frame on that is not a whole pong with a number. */
function takePongs(bytes: Buffer, listener: PongListener): Buffer {
  let at = 0;
  while (at < bytes.length) {
    const length = lengthOfPong(bytes, at);
    const sequence = length === 0 ? undefined : sequenceIn(bytes, at + 2, length);
    if (sequence === undefined) return bytes.subarray(at);
    listener.ponged(sequence, length);
    at += HEAD_BYTES + length;
  }
  return bytes.subarray(at);
}

/** Returns how many bytes a pong at this place has, or 0 if there is none, or not all of it. */
function lengthOfPong(bytes: Buffer, at: number): number {
  const length = bytes[at + 1]! - MASKED;
  const isWhole = length > 0 && length <= MAX_DIGITS && at + HEAD_BYTES + length <= bytes.length;
  return isWhole && bytes[at] === PONG ? length : 0;
}

/** Reads digits behind their mask. */
function sequenceIn(bytes: Buffer, mask: number, length: number): number | undefined {
  let sequence = 0;
  for (let index = 0; index < length; index++) {
    const digit = bytes[mask + 4 + index]! ^ bytes[mask + (index & 3)]!;
    if (digit < ZERO || digit > NINE) return undefined;
    sequence = sequence * 10 + digit - ZERO;
  }
  return sequence;
}
