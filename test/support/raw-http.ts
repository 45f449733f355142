import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A raw HTTP connection: sends exactly the bytes of the test, at the pace of the test. */
export class RawHttp {
  readonly closed: Promise<void>;
  private received = '';
  private wake = (): void => undefined;

  private constructor(readonly socket: Socket) {
    socket.on('data', (bytes) => {
      this.received += bytes.toString('latin1');
      this.wake();
    });
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    void this.closed.then(() => this.wake());
  }

  static async open(address: string): Promise<RawHttp> {
    const { hostname, port } = new URL(address);
    // Never closes on its own, like a client that keeps sending.
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new RawHttp(socket);
  }

  /** Sends one request on a connection of its own, and returns the response. */
  static async answer(address: string, ...lines: string[]): Promise<RawAnswer> {
    const raw = await RawHttp.open(address);
    raw.send(...lines);
    const answer = await raw.answer();
    raw.socket.destroy();
    return answer;
  }

  /** Lines of the headers, and the empty one behind them. */
  send(...lines: string[]): void {
    this.socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  }

  /** Received bytes not yet returned as a response. */
  get text(): string {
    return this.received;
  }

  /** Returns the next whole response with a Content-Length, or with none and no body. */
  async answer(): Promise<RawAnswer> {
    for (;;) {
      const end = this.received.indexOf('\r\n\r\n');
      if (end >= 0) {
        const [first = '', ...rest] = this.received.slice(0, end).split('\r\n');
        const headers = Object.fromEntries(
          rest.map((line) => [line.split(':', 1)[0]!.toLowerCase(), line.replace(/^[^:]*: */, '')]),
        );
        const length = Number(headers['content-length'] ?? 0);
        if (this.received.length >= end + 4 + length) {
          const body = this.received.slice(end + 4, end + 4 + length);
          this.received = this.received.slice(end + 4 + length);
          return { status: Number(first.split(' ')[1]), headers, body };
        }
      }
      if (this.socket.destroyed) throw new Error(`closed without an answer: ${JSON.stringify(this.received)}`);
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** Sends a chunk repeatedly until the server closes. Returns the number of bytes sent. */
  async flood(piece: Buffer | string): Promise<number> {
    let sent = 0;
    while (!this.socket.destroyed && this.socket.writable) {
      sent += Buffer.byteLength(piece);
      if (this.socket.write(piece)) await new Promise((resolve) => setImmediate(resolve));
      else await Promise.race([new Promise((resolve) => this.socket.once('drain', resolve)), this.closed]);
    }
    return sent;
  }
}
