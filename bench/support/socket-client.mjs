// Process with many handwritten WebSocket connections, which answer pings and count received messages.
import { connect } from 'node:net';

const [, , protocol] = process.argv;
const PONG_MASK = Buffer.alloc(4);
const OPENING = 200;

let counted = 0;
let wanted = Infinity;
/** Arrival time of each message in milliseconds since 1970, if requested. */
let times;
const sockets = [];

process.on('message', async ({ open, expect, timed }) => {
  if (open) {
    for (let from = 0; from < open.length; from += OPENING) await Promise.all(open.slice(from, from + OPENING).map(openOne));
    process.send({ opened: sockets.length });
  }
  if (expect) {
    counted = 0;
    wanted = expect;
    times = timed ? [] : undefined;
    process.send({ expecting: expect });
  }
});
process.on('disconnect', () => process.exit());

function openOne(uri) {
  const { hostname, port, host, pathname, search } = new URL(uri);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.write(
    `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  socket.on('error', (error) => process.send({ failed: error.message }));
  return new Promise((resolve, reject) => {
    let rest = Buffer.alloc(0);
    let isOpen = false;
    socket.on('data', (bytes) => {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      if (!isOpen) {
        const end = rest.indexOf('\r\n\r\n');
        if (end < 0) return;
        if (!rest.subarray(0, end).includes(' 101 ')) return reject(new Error(rest.subarray(0, end).toString()));
        rest = rest.subarray(end + 4);
        isOpen = true;
        if (protocol === 'socket.io') socket.write(clientFrame(1, Buffer.from('40')));
        resolve();
      }
      rest = readFrames(socket, rest);
    });
  });
}

function readFrames(socket, bytes) {
  let at = 0;
  while (bytes.length - at >= 2) {
    const short = bytes[at + 1] & 127;
    const head = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (bytes.length - at < head) break;
    const length = short === 126 ? bytes.readUInt16BE(at + 2) : short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short;
    if (bytes.length - at < head + length) break;
    const opcode = bytes[at] & 15;
    if (opcode === 9) socket.write(clientFrame(10, bytes.subarray(at + head, at + head + length)));
    else if (opcode === 1 && length >= 200) count();
    else if (opcode === 1 && protocol === 'socket.io' && bytes[at + head] === 0x32)
      socket.write(clientFrame(1, Buffer.from('3')));
    at += head + length;
  }
  return bytes.subarray(at);
}

function count() {
  counted++;
  times?.push(performance.timeOrigin + performance.now());
  if (counted === wanted) process.send({ arrived: counted, at: process.hrtime.bigint().toString(), times });
}

/** Masks with zeros, which is permitted and costs the client nothing. */
function clientFrame(opcode, payload) {
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length]), PONG_MASK, payload]);
}
