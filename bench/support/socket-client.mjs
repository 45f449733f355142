// Process with many handwritten connections, which confirm and count received messages: WebSockets, Socket.IO over them, and MQTT.
import { connect } from 'node:net';
import { mqttHello, readMqtt } from './mqtt.mjs';

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
  return protocol === 'mqtt' ? openMqtt(uri) : openWebSocket(uri);
}

/** Subscribes with QoS 1: each message is confirmed. */
function openMqtt(uri) {
  const { hostname, port } = new URL(uri);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.write(mqttHello(`client-${process.pid}-${sockets.length}`));
  socket.on('error', (error) => process.send({ failed: error.message }));
  return new Promise((resolve) => {
    let rest = Buffer.alloc(0);
    socket.on('data', (bytes) => {
      rest = readMqtt(Buffer.concat([rest, bytes]), {
        subscribed: resolve,
        answer: (packet) => socket.write(packet),
        received: count,
      });
    });
  });
}

function openWebSocket(uri) {
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
    else if (opcode === 1 && length >= 200) {
      if (protocol === 'socket.io') confirm(socket, bytes.toString('latin1', at + head, at + head + 16));
      count();
    } else if (opcode === 1 && protocol === 'socket.io' && bytes[at + head] === 0x32)
      socket.write(clientFrame(1, Buffer.from('3')));
    at += head + length;
  }
  return bytes.subarray(at);
}

/** Answers an event of Socket.IO that has an id: `42<id>[…` by `43<id>[]`. */
function confirm(socket, start) {
  const [, id] = /^42(\d+)\[/.exec(start) ?? [];
  if (id) socket.write(clientFrame(1, Buffer.from(`43${id}[]`)));
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
