import { type InboxMark, markOf } from '../models/inbox.js';
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

/** Encodes the frame of the number of unread messages. */
export const inboxFrame = (unread: number): Buffer => textFrame(JSON.stringify({ inbox: { unread } }));

interface PresenceContent {
  topic: string;
  recipient: string;
  /** Milliseconds since 1970. */
  at: number;
}

function sharedJson(
  { message, topic, createdAt, expiresAt, replayed, inbox }: Push | GlobalPush,
  globalMessageId: string | null,
): string {
  const expiry = expiresAt === null ? null : new Date(expiresAt);
  const times = { createdAt: new Date(createdAt), expiresAt: expiry };
  return JSON.stringify({ message, topic, globalMessageId, ...times, replayed, inbox }).slice(1, -1);
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

const COMMENT = Buffer.from(':\n\n');
const HEAD_OF_MESSAGE = Buffer.from('{"id":"');
const [ID, DATA, END] = [Buffer.from('id: '), Buffer.from('data: '), Buffer.from('\n\n')];

/** Translates encoded frames into server-sent events: a text into an event, with the id of a message, and a ping into a comment. */
export function eventsOf(frames: Buffer): Buffer {
  const events: Buffer[] = [];
  for (let at = 0; at < frames.length;) {
    const short = frames[at + 1]!;
    const from = at + (short < 126 ? 2 : short === 126 ? 4 : 10);
    const length = short < 126 ? short : short === 126 ? frames.readUInt16BE(at + 2) : Number(frames.readBigUInt64BE(at + 2));
    const payload = frames.subarray(from, from + length);
    if (frames[at] === PING) events.push(COMMENT);
    else events.push(...idField(payload), DATA, payload, END);
    at = from + length;
  }
  return Buffer.concat(events);
}

function idField(payload: Buffer): Buffer[] {
  const from = HEAD_OF_MESSAGE.length;
  if (!payload.subarray(0, from).equals(HEAD_OF_MESSAGE)) return [];
  return [ID, payload.subarray(from, payload.indexOf('"', from)), Buffer.from('\n')];
}

/** Encodes an event of the stream itself, which is no frame. */
export function streamEvent(name: 'connection' | 'close', content: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(content)}\n\n`;
}

/** Returns the id acknowledged by `{"ack": "<id>"}`, or the mark of a message in the inbox; neither for other text. */
export function readClientFrame(text: string): { ack?: string; mark?: InboxMark | undefined } {
  try {
    const frame = (JSON.parse(text) ?? {}) as Record<string, unknown>;
    return typeof frame.ack === 'string' ? { ack: frame.ack } : { mark: markOf(frame) };
  } catch {
    return {};
  }
}

/** Returns the sequence number of a pong, or undefined for an unsolicited pong. */
export function sequenceOf(payload: Buffer): number | undefined {
  const text = payload.toString('latin1');
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
