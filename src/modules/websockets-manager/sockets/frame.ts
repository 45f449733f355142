import type { GlobalPush, Push } from '../models/push.js';

const TEXT = 0x81;
const PING = 0x89;

/** Encodes a frame from a server: unfragmented and unmasked (RFC 6455). */
function frame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const extra = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const whole = Buffer.allocUnsafe(2 + extra + length);
  whole[0] = opcode;
  whole[1] = extra === 0 ? length : extra === 2 ? 126 : 127;
  if (extra === 2) whole.writeUInt16BE(length, 2);
  if (extra === 8) whole.writeBigUInt64BE(BigInt(length), 2);
  payload.copy(whole, 2 + extra);
  return whole;
}

/** Returns a function that encodes the frame of each message of a push. The JSON that the frames share is made once. */
export function framesOf(push: Push): (message: Push['messages'][number]) => Buffer {
  const rest = sharedJson(push, null);
  return ({ id, recipient }) => textFrame(`{"id":"${id}","recipient":${JSON.stringify(recipient)},${rest}}`);
}

/** Encodes the frame of a global push, which all connections share. */
export function globalFrame(push: GlobalPush): Buffer {
  return textFrame(`{"id":"${push.id}","recipient":null,${sharedJson(push, push.id)}}`);
}

function sharedJson({ message, topic, createdAt, expiresAt }: Push | GlobalPush, globalMessageId: string | null): string {
  const expiry = expiresAt === null ? null : new Date(expiresAt);
  return JSON.stringify({ message, topic, globalMessageId, createdAt: new Date(createdAt), expiresAt: expiry }).slice(1, -1);
}

const textFrame = (text: string): Buffer => frame(TEXT, Buffer.from(text));

let latestPing: { sequence: number; frame: Buffer } = { sequence: -1, frame: Buffer.alloc(0) };

/**
 * Encodes a ping whose pong confirms all frames up to `sequence`. Connections with the same number of frames share the buffer.
 */
export function pingFrame(sequence: number): Buffer {
  if (latestPing.sequence !== sequence) latestPing = { sequence, frame: frame(PING, Buffer.from(String(sequence))) };
  return latestPing.frame;
}

/** Joins frames, and a ping after them, into one buffer. */
export function joined(frames: Buffer[], ping: Buffer | undefined): Buffer {
  if (frames.length === 1 && !ping) return frames[0]!;
  return Buffer.concat(ping ? [...frames, ping] : frames);
}

/** Returns the id that a client acknowledges with `{"ack": "<id>"}`, or undefined for any other text. */
export function acknowledgedId(text: string): string | undefined {
  try {
    const { ack } = (JSON.parse(text) ?? {}) as { ack?: unknown };
    return typeof ack === 'string' ? ack : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the sequence number in a pong, or undefined if the pong answers none of our pings. */
export function sequenceOf(payload: Buffer): number | undefined {
  const text = payload.toString('latin1');
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
