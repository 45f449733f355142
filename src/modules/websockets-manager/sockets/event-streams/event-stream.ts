import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Connection } from '../connection.js';
import { eventsOf, streamEvent } from '../frame.js';
import type { Closer, Output } from '../closing.js';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no', // nginx would otherwise collect events before it sends them
  connection: 'close', // or a client would use it again to reconnect, and reach the node that closed its stream
};
/** Time after which a browser reconnects, from 0.5 s on. Random, so that the clients of a stopped node do not return at once. */
const RETRY_MS = { least: 500, spread: 2_000 };

/** HTTP response that carries the frames of a connection as server-sent events (WHATWG HTML 9.2). */
export class EventStream implements Output, Closer {
  private connection: Connection | undefined;

  constructor(private readonly response: ServerResponse) {}

  get writable(): boolean {
    return !this.response.writableEnded && !this.response.destroyed;
  }

  get writableLength(): number {
    return this.response.writableLength;
  }

  /** Sends the headers, and an event with the id of the connection. */
  begin(connection: Connection, headers: OutgoingHttpHeaders): void {
    this.connection = connection;
    this.response.writeHead(200, { ...headers, ...HEADERS });
    const retryMs = Math.round(RETRY_MS.least + RETRY_MS.spread * Math.random());
    this.response.write(`retry: ${retryMs}\n${streamEvent('connection', { id: connection.presence.connectionId })}`);
  }

  write(frames: Buffer): void {
    this.response.write(eventsOf(frames), this.onWritten);
  }

  /** Nothing answers a heartbeat. One that left this process proves that the client, or its network, still reads. */
  private readonly onWritten = (error?: Error | null): void => {
    if (!error) this.connection!.missedHeartbeats = 0;
  };

  close(code: number, reason: string): void {
    this.response.end(streamEvent('close', { code, reason }));
  }

  destroy(): void {
    this.response.destroy();
  }
}
