// WebSocket clients that break every rule of RFC 6455.
import { connect } from 'node:net';
import fc from 'fast-check';
import { oneOf } from './values.mjs';

const CLOSE_LIMIT_MS = 3_000;
const CODES = new Set([1000, 1001, 1002, 1003, 1007, 1008, 1009, 4401, 4403, 4408, 4413]);
/** Close codes that RFC 6455 and IANA let a peer send. A server repeats the one that it received. */
const isAllowed = (code) =>
  (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999);

/** Draws frames: any opcode, reserved bits, false lengths, with and without mask. */
export function frames(g) {
  return Array.from({ length: g(fc.nat, { max: 6 }) }, () => {
    const opcode = g(oneOf, [0, 1, 1, 2, 3, 7, 8, 9, 9, 10, 10, 11, 15]);
    const payload = Buffer.from(g(fc.uint8Array, { maxLength: g(oneOf, [0, 10, 125, 126, 5_000]) }));
    const flags = (g(fc.nat, { max: 4 }) === 0 ? 0 : 0x80) | (g(fc.nat, { max: 9 }) === 0 ? 0x40 : 0);
    const isMasked = g(fc.nat, { max: 9 }) > 0;
    const length = g(fc.nat, { max: 9 }) === 0 ? 2 ** 40 : payload.length;
    return frame({ opcode, payload, flags, isMasked, length }).toString('base64');
  });
}

function frame({ opcode, payload, flags, isMasked, length }) {
  const form = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const head = Buffer.alloc(2 + form);
  head[0] = flags | opcode;
  head[1] = (isMasked ? 0x80 : 0) | (form === 0 ? length : form === 2 ? 126 : 127);
  if (form === 2) head.writeUInt16BE(length, 2);
  if (form === 8) head.writeBigUInt64BE(BigInt(length), 2);
  // A mask of zeros leaves the payload as it is.
  return Buffer.concat([head, isMasked ? Buffer.alloc(4) : Buffer.alloc(0), payload]);
}

/** Connects, sends the frames, and returns the fault of the close, if any. */
export async function converse(uri, sent) {
  const { hostname, port, pathname, search } = new URL(uri);
  const socket = connect(Number(port), hostname === 'localhost' ? '127.0.0.1' : hostname);
  const received = [];
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const answered = new Promise((resolve) => socket.once('data', resolve));
  socket.on('data', (chunk) => received.push(chunk));
  socket.on('error', () => undefined);
  const timer = setTimeout(() => socket.destroy(), CLOSE_LIMIT_MS);
  const key = 'dGhlIHNhbXBsZSBub25jZQ==';
  socket.write(
    `GET ${pathname}${search} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
  );
  await Promise.race([answered, closed]);
  for (const bytes of sent) socket.write(Buffer.from(bytes, 'base64'));
  // A close of our own, so that an honest server ends the conversation.
  socket.write(frame({ opcode: 8, payload: Buffer.from([3, 232]), flags: 0x80, isMasked: true, length: 2 }));
  await closed;
  clearTimeout(timer);
  return faultOf(Buffer.concat(received), new Set(sent.map(closeCodeOf).filter(isAllowed)));
}

/** Returns the code in a frame that closes, made by `frame`. */
function closeCodeOf(base64) {
  const bytes = Buffer.from(base64, 'base64');
  const start = 2 + ({ 126: 2, 127: 8 }[bytes[1] & 127] ?? 0) + (bytes[1] & 0x80 ? 4 : 0);
  return (bytes[0] & 15) === 8 && bytes.length >= start + 2 ? bytes.readUInt16BE(start) : undefined;
}

/** @param repeated codes that the server may close with because it received them */
function faultOf(answer, repeated) {
  const end = answer.indexOf('\r\n\r\n');
  const head = answer.subarray(0, end).toString();
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  if (status !== 101) return status >= 500 || !status ? `the upgrade was answered with ${status}` : undefined;
  for (let at = end + 4; at + 2 <= answer.length;) {
    const opcode = answer[at] & 15;
    const short = answer[at + 1] & 127;
    const [size, start] =
      short < 126
        ? [short, at + 2]
        : short === 126
          ? [answer.readUInt16BE(at + 2), at + 4]
          : [Number(answer.readBigUInt64BE(at + 2)), at + 10];
    const code = opcode === 8 && size >= 2 ? answer.readUInt16BE(start) : 1000;
    if (!CODES.has(code) && !repeated.has(code)) return `closed with ${code}`;
    at = start + size;
  }
  return undefined;
}
