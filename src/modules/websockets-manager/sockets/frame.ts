import type { GlobalPush, Push } from '../models/push.js';

const TEXT = 0x81;
const PING = 0x89;

/** Encodes an unfragmented, unmasked server frame (RFC 6455). */
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

/** Returns an encoder for the messages of a push. Serializes their common JSON once. */
export function framesOf(push: Push): (message: Push['messages'][number]) => Buffer {
  const rest = sharedJson(push, null);
  return ({ id, recipient }) => textFrame(`{"id":"${id}","recipient":${JSON.stringify(recipient)},${rest}}`);
}

/** Encodes the frame of a global push, shared by all connections. */
export function globalFrame(push: GlobalPush): Buffer {
  return textFrame(`{"id":"${push.id}","recipient":null,${sharedJson(push, push.id)}}`);
}

/** Encodes the frame of a recipient that joins or leaves a topic. */
export function presenceFrame(event: 'join' | 'leave', { topic, recipient, at }: PresenceContent): Buffer {
  return textFrame(JSON.stringify({ presence: event, topic, recipient, at: new Date(at) }));
}

interface PresenceContent {
  topic: string;
  recipient: string;
  /** Milliseconds since 1970. */
  at: number;
}

function sharedJson(
  { message, topic, createdAt, expiresAt, replayed }: Push | GlobalPush,
  globalMessageId: string | null,
): string {
  const expiry = expiresAt === null ? null : new Date(expiresAt);
  return JSON.stringify({ message, topic, globalMessageId, createdAt: new Date(createdAt), expiresAt: expiry, replayed }).slice(
    1,
    -1,
  );
}

const textFrame = (text: string): Buffer => frame(TEXT, Buffer.from(text));

let latestPing: { sequence: number; frame: Buffer } = { sequence: -1, frame: Buffer.alloc(0) };

/** Encodes a ping whose pong confirms all frames up to `sequence`. Connections with the same number share the buffer. */
export function pingFrame(sequence: number): Buffer {
  if (latestPing.sequence !== sequence) latestPing = { sequence, frame: frame(PING, Buffer.from(String(sequence))) };
  return latestPing.frame;
}

/** Concatenates frames and an optional ping into one buffer. */
export function joined(frames: Buffer[], ping: Buffer | undefined): Buffer {
  if (frames.length === 1 && !ping) return frames[0]!;
  return Buffer.concat(ping ? [...frames, ping] : frames);
}

/** Returns the id acknowledged by `{"ack": "<id>"}`, or undefined for other text. */
export function acknowledgedId(text: string): string | undefined {
  try {
    const { ack } = (JSON.parse(text) ?? {}) as { ack?: unknown };
    return typeof ack === 'string' ? ack : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the sequence number of a pong, or undefined for an unsolicited pong. */
export function sequenceOf(payload: Buffer): number | undefined {
  const text = payload.toString('latin1');
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
