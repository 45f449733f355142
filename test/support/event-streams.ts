import { type ClientRequest, get, type IncomingMessage, type RequestOptions } from 'node:http';
import { until } from './websockets.js';

interface ServerEvent {
  event: string;
  id: string | undefined;
  data: any;
}

/** Reads one event, or undefined from a comment. */
function parsed(block: string): ServerEvent | undefined {
  const fields = new Map(block.split('\n').map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]));
  if (!fields.has('data')) return undefined;
  return { event: fields.get('event') ?? 'message', id: fields.get('id'), data: JSON.parse(fields.get('data')!) };
}

/** A recipient with a real event stream, and everything it received. */
export class EventStream {
  readonly events: ServerEvent[] = [];
  comments = 0;
  retryMs: number | undefined;
  isEnded = false;
  private text = '';

  private constructor(
    readonly uri: string,
    readonly request: ClientRequest,
    readonly response: IncomingMessage,
  ) {
    response.setEncoding('utf8');
    response.on('data', (piece: string) => this.read(piece));
    response.on('error', () => undefined);
    response.once('close', () => (this.isEnded = true));
  }

  /** Resolves to the status of a refusal, or to a stream that has its id. */
  static request(uri: string, options: RequestOptions = {}): Promise<EventStream | number> {
    return new Promise((resolve, reject) => {
      const request = get(uri, { agent: false, ...options }, (response) => {
        if (response.statusCode !== 200) {
          response.resume();
          return resolve(response.statusCode!);
        }
        const stream = new EventStream(uri, request, response);
        resolve(until(() => stream.id).then(() => stream));
      });
      request.on('error', reject);
    });
  }

  static async open(uri: string, options: RequestOptions = {}): Promise<EventStream> {
    const stream = await EventStream.request(uri, options);
    if (typeof stream === 'number') throw new Error(`refused with ${stream}`);
    return stream;
  }

  private read(piece: string): void {
    this.text += piece;
    const blocks = this.text.split('\n\n');
    this.text = blocks.pop()!;
    for (const block of blocks) {
      if (block.startsWith(':')) this.comments++;
      const retry = /^retry: (\d+)$/m.exec(block);
      if (retry) this.retryMs = Number(retry[1]);
      const event = parsed(block);
      if (event) this.events.push(event);
    }
  }

  private of(event: string): ServerEvent[] {
    return this.events.filter((one) => one.event === event);
  }

  /** Id of the connection. */
  get id(): string | undefined {
    return this.of('connection')[0]?.data.id;
  }

  get frames(): any[] {
    return this.of('message').map(({ data }) => data);
  }

  get texts(): string[] {
    return this.frames.map(({ message }) => message);
  }

  get close(): { code: number; reason: string } | undefined {
    return this.of('close')[0]?.data;
  }

  received(count: number): Promise<any[]> {
    return until(() => (this.frames.length >= count ? this.frames : undefined));
  }

  /** Resolves to the reason of the server, once the stream has ended. */
  ended(): Promise<{ code: number; reason: string } | 'without a reason'> {
    return until(() => (this.isEnded ? (this.close ?? 'without a reason') : undefined));
  }

  acknowledge(id: string, connection = this.id!, uri = this.uri): Promise<number> {
    return this.post({ ack: id }, connection, uri);
  }

  /** Resolves to the status of the answer to a frame. */
  async post(frame: object, connection = this.id!, uri = this.uri): Promise<number> {
    const response = await fetch(`${uri}&connection=${connection}`, { method: 'POST', body: JSON.stringify(frame) });
    await response.arrayBuffer();
    return response.status;
  }

  /** Breaks the connection. */
  drop(): void {
    this.request.destroy();
  }
}
