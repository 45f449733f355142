import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

export const OP = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

interface FrameOptions {
  fin?: boolean;
  /** Reserved bits, as 0 to 7. */
  rsv?: number;
  masked?: boolean;
  /** Announces a length other than that of the payload. */
  length?: number;
  lengthBytes?: 2 | 8;
}

/** A frame of RFC 6455 from a client, valid or not. */
export function frame(opcode: number, payload: Buffer | string = '', options: FrameOptions = {}): Buffer {
  const { fin = true, rsv = 0, masked = true } = options;
  const data = Buffer.from(payload);
  const length = options.length ?? data.length;
  const form = options.lengthBytes ?? (length < 126 ? 0 : length < 65_536 ? 2 : 8);
  const head = Buffer.alloc(2 + form);
  head[0] = (fin ? 0x80 : 0) | (rsv << 4) | opcode;
  head[1] = (masked ? 0x80 : 0) | (form === 0 ? length : form === 2 ? 126 : 127);
  if (form === 2) head.writeUInt16BE(length, 2);
  if (form === 8) head.writeBigUInt64BE(BigInt(length), 2);
  if (!masked) return Buffer.concat([head, data]);
  const mask = randomBytes(4);
  return Buffer.concat([head, mask, data.map((byte, index) => byte ^ mask[index % 4]!)]);
}

interface Received {
  opcode: number;
  payload: Buffer;
}

/** A raw WebSocket: sends exactly the frames of the test, and answers nothing automatically. */
export class RawSocket {
  readonly frames: Received[] = [];
  readonly ended: Promise<void>;
  private buffer = Buffer.alloc(0);
  private waiting: (() => void)[] = [];

  private constructor(readonly socket: Socket) {
    this.ended = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined);
    void this.ended.then(() => this.wake());
  }

  static async open(uri: string, headers: Record<string, string> = {}): Promise<RawSocket> {
    const raw = new RawSocket(await RawSocket.request(uri, headers));
    const answer = await raw.head();
    if (!answer.startsWith('HTTP/1.1 101 ')) throw new Error(answer);
    raw.socket.on('data', (bytes) => raw.read(bytes));
    raw.read(Buffer.alloc(0));
    return raw;
  }

  /** Returns the response to an upgrade that must fail. */
  static async answer(uri: string, headers: Record<string, string> = {}): Promise<string> {
    return new RawSocket(await RawSocket.request(uri, headers)).head();
  }

  private static async request(uri: string, headers: Record<string, string>): Promise<Socket> {
    const { hostname, port, host, pathname, search } = new URL(uri);
    const socket = connect(Number(port), hostname);
    const all: Record<string, string> = {
      Host: host,
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    return socket;
  }

  private head(): Promise<string> {
    return new Promise((resolve) => {
      const look = (bytes: Buffer) => {
        this.buffer = Buffer.concat([this.buffer, bytes]);
        const end = this.buffer.indexOf('\r\n\r\n');
        if (end < 0) return;
        this.socket.off('data', look);
        const head = this.buffer.subarray(0, end).toString();
        this.buffer = this.buffer.subarray(end + 4);
        resolve(head);
      };
      this.socket.on('data', look);
      void this.ended.then(() => resolve(this.buffer.toString()));
    });
  }

  send(...frames: Buffer[]): void {
    this.socket.write(Buffer.concat(frames));
  }

  /** Returns the next unread frame with this opcode, or nothing if the connection closes first. */
  async take(opcode: number): Promise<Received | undefined> {
    for (;;) {
      const index = this.frames.findIndex((one) => one.opcode === opcode);
      if (index >= 0) return this.frames.splice(index, 1)[0];
      if (this.frames.some((one) => one.opcode === OP.close)) return undefined;
      if (this.socket.closed || this.socket.destroyed) return undefined;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  /** Returns the close code of the server. */
  async closeCode(): Promise<number | undefined> {
    const close = await this.take(OP.close);
    return close && close.payload.length >= 2 ? close.payload.readUInt16BE(0) : undefined;
  }

  /** Returns whether the server still answers a ping. */
  async isAlive(): Promise<boolean> {
    const probe = randomBytes(8).toString('hex');
    this.send(frame(OP.ping, probe));
    for (;;) {
      const pong = await this.take(OP.pong);
      if (!pong) return false;
      if (pong.payload.toString() === probe) return true;
    }
  }

  private read(bytes: Buffer): void {
    this.buffer = Buffer.concat([this.buffer, bytes]);
    for (;;) {
      if (this.buffer.length < 2) break;
      const short = this.buffer[1]! & 0x7f;
      const extra = short === 126 ? 2 : short === 127 ? 8 : 0;
      if (this.buffer.length < 2 + extra) break;
      const length = extra === 2 ? this.buffer.readUInt16BE(2) : extra === 8 ? Number(this.buffer.readBigUInt64BE(2)) : short;
      const end = 2 + extra + length;
      if (this.buffer.length < end) break;
      this.frames.push({ opcode: this.buffer[0]! & 15, payload: this.buffer.subarray(2 + extra, end) });
      this.buffer = this.buffer.subarray(end);
    }
    this.wake();
  }

  private wake(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const resolve of waiting) resolve();
  }
}
