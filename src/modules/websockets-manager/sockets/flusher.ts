import { PingScheduler } from './ping-scheduler.js';
import type { Connection } from './connection.js';
import { joined } from './frame.js';

/** Connections flushed per turn of the event loop. */
const SLICE = 500;

/**
 * Flushes connections once per turn of the event loop, to send all their frames in one write. Connections with identical frames share one
 * buffer. Uses no Batcher: frames return no result, and a promise per frame would cost more than the frame.
 */
export class Flusher {
  private dirty: Connection[] = [];
  private scheduled = false;
  private shared = { frames: [] as Buffer[], ping: undefined as Buffer | undefined, joined: Buffer.alloc(0) as Buffer };

  readonly mark = (connection: Connection): void => {
    this.dirty.push(connection);
    this.schedule();
  };

  readonly pings = new PingScheduler(this.mark);

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.flush());
  }

  private flush(): void {
    this.scheduled = false;
    const slice = this.dirty.length > SLICE ? this.dirty.splice(0, SLICE) : this.dirty;
    if (slice === this.dirty) this.dirty = [];
    const now = performance.now();
    for (const connection of slice) connection.flush(this.join, this.pings.isDue(connection, now));
    if (this.dirty.length > 0) this.schedule();
    else this.shared = { frames: [], ping: undefined, joined: Buffer.alloc(0) };
  }

  private readonly join = (frames: Buffer[], ping: Buffer | undefined): Buffer => {
    const { shared } = this;
    const isSame =
      shared.ping === ping &&
      shared.frames.length === frames.length &&
      frames.every((frame, index) => frame === shared.frames[index]);
    if (!isSame) this.shared = { frames, ping, joined: joined(frames, ping) };
    return this.shared.joined;
  };
}
