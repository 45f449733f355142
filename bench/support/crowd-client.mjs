// Process that holds a share of many WebSocket clients, with its own loopback address: each client answers pings, counts received
// messages, and reconnects with exponential backoff and jitter.
import { connect } from 'node:net';

const [, , localAddress] = process.argv;
const OPENING = 100;
/** Assigned in sequence: the kernel would scan all used ports for a free one. */
const FIRST_PORT = 10_000;
const PORTS = 50_000;
const FIRST_WAIT_MS = 30_000;
const WAIT_AGAIN_MS = 1_000;
const PONG_MASK = Buffer.alloc(4);
const CLOSE = Buffer.from([0x88, 0x80, 0, 0, 0, 0]);
/** Read buffer of all sockets, since each read is processed completely. */
const buffer = Buffer.alloc(64 * 1024);

let nextPort = 0;
let clients = [];
let opened = 0;
let counted = 0;
let wanted = Infinity;
/** Waits and failures of reconnects since the connections broke; undefined while none may break. */
let herd;

process.on('message', async ({ open, expect, scatter, forget }) => {
  if (open) {
    clients = open.map((uri) => new Client(uri));
    const waiting = clients.values();
    await Promise.all(Array.from({ length: OPENING }, () => openEach(waiting)));
    process.send({ opened });
  }
  if (expect) {
    counted = 0;
    wanted = expect;
    process.send({ expecting: expect });
  }
  if (scatter) {
    herd = { waits: [], failures: {} };
    process.send({ scattering: true });
  }
  if (forget) {
    Object.assign(herd, { waits: [], failures: {} });
    process.send({ forgotten: true });
  }
});
process.on('disconnect', () => process.exit());

async function openEach(waiting) {
  for (const client of waiting) await client.open();
}

class Client {
  socket;
  isOpen = false;
  failures = 0;
  since = 0;
  rest;
  onOpen;

  constructor(uri) {
    this.uri = uri;
  }

  open() {
    return new Promise((resolve) => {
      this.onOpen = resolve;
      this.connect();
    });
  }

  connect() {
    const { hostname, port, host, pathname, search } = new URL(this.uri);
    this.since = performance.now();
    this.rest = undefined;
    const onread = { buffer, callback: received };
    const localPort = FIRST_PORT + (nextPort++ % PORTS);
    const socket = connect({ host: hostname, port: Number(port), localAddress, localPort, onread });
    this.socket = socket;
    socket.client = this;
    socket.on('error', failed);
    socket.on('close', closed);
    socket.write(
      `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
  }

  read(bytes) {
    const all = this.rest ? Buffer.concat([this.rest, bytes]) : bytes;
    const from = this.isOpen ? 0 : this.readHandshake(all);
    const left = this.isOpen ? readFrames(this.socket, all, from) : all;
    this.rest = left.length > 0 ? Buffer.from(left) : undefined;
  }

  /** Returns the offset of the first frame. */
  readHandshake(bytes) {
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0) return 0;
    const status = bytes.toString('latin1', 9, 12);
    if (status !== '101') {
      this.socket.failure = `status ${status}`;
      this.socket.destroy();
      return bytes.length;
    }
    this.isOpen = true;
    this.failures = 0;
    opened++;
    herd?.waits.push(performance.now() - this.since);
    this.onOpen?.();
    this.onOpen = undefined;
    if (herd && opened === clients.length) process.send({ back: opened, ...herd });
    return end + 4;
  }

  ended(failure) {
    if (!herd) return process.send({ failed: failure ?? 'closed by the server' });
    if (this.isOpen) {
      opened--;
      this.isOpen = false;
      return this.connectIn(FIRST_WAIT_MS);
    }
    herd.failures[failure] = (herd.failures[failure] ?? 0) + 1;
    this.connectIn(Math.min(FIRST_WAIT_MS, WAIT_AGAIN_MS * 2 ** ++this.failures));
  }

  connectIn(ms) {
    setTimeout(() => this.connect(), Math.random() * ms);
  }
}

function received(length, bytes) {
  this.client.read(bytes.subarray(0, length));
  return true;
}

function failed({ code }) {
  this.failure = code;
}

function closed() {
  this.client.ended(this.failure ?? 'closed');
}

/** Returns the bytes of an incomplete frame. */
function readFrames(socket, bytes, from) {
  let at = from;
  while (bytes.length - at >= 2) {
    const short = bytes[at + 1] & 127;
    const head = short === 126 ? 4 : 2;
    if (bytes.length - at < head) break;
    const length = short === 126 ? bytes.readUInt16BE(at + 2) : short;
    if (bytes.length - at < head + length) break;
    const opcode = bytes[at] & 15;
    if (opcode === 9) socket.write(pongFrame(bytes.subarray(at + head, at + head + length)));
    else if (opcode === 1 && length >= 200) count();
    else if (opcode === 8) socket.end(CLOSE);
    at += head + length;
  }
  return bytes.subarray(at);
}

function count() {
  counted++;
  if (counted === wanted) process.send({ arrived: counted, at: process.hrtime.bigint().toString() });
}

/** Masks with zeros, which is permitted and costs the client nothing. */
function pongFrame(payload) {
  return Buffer.concat([Buffer.from([0x8a, 0x80 | payload.length]), PONG_MASK, payload]);
}
