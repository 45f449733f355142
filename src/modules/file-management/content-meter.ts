import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { AppError } from '../../common/errors/app-error.js';

/** A transfer on which no byte arrives for so long is given up. */
const STALL_LIMIT_MS = 60_000;
const BUFFER_BYTES = 128 * 1024;

interface Options {
  stallLimitMs?: number;
  hashed?: boolean;
  /** Called before the first byte is read, of a client that may wait to be asked for it. */
  ask?: () => void;
}

/**
 * Passes on what a request sends, and knows its SHA-256 afterwards. Fails with 408 when the sender stalls. Unlike a
 * pipeline it leaves the request alone when the receiving side fails, so that the failure can still be answered; and it
 * only reads, since a transform in between would cost more than the hash.
 */
export class ContentMeter extends Readable {
  private readonly hash?: Hash;
  private readonly stallTimer: NodeJS.Timeout;
  private readonly ask?: () => void;
  private isReading = false;

  constructor(
    private readonly source: Readable,
    private readonly onBytes: (count: number) => void,
    { stallLimitMs = STALL_LIMIT_MS, hashed = true, ask }: Options = {},
  ) {
    super({ highWaterMark: BUFFER_BYTES });
    this.ask = ask;
    if (hashed) this.hash = createHash('sha256');
    const stalled = new AppError('BAD_REQUEST', `No byte arrived for ${stallLimitMs / 1000} s; send the file again`, {
      status: 408,
    });
    this.stallTimer = setTimeout(() => this.destroy(stalled), stallLimitMs);
    this.on('error', () => undefined); // whoever reads is told; nobody may, once the store has refused
    source.once('end', () => this.push(null));
    source.once('error', (error) => this.destroy(error));
    source.once('close', () => {
      if (!source.readableEnded) this.destroy(Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' }));
    });
  }

  /** Of all that passed; to be asked for once, at the end. */
  sha256(): string {
    if (!this.hash) throw new Error('This content is not hashed');
    return this.hash.digest('hex');
  }

  /** Nothing of the source is read before somebody wants it, since there may be no room for it. */
  override _read(): void {
    if (!this.isReading) {
      this.ask?.();
      this.source.on('data', (chunk: Buffer) => this.passOn(chunk));
    }
    this.isReading = true;
    this.source.resume();
  }

  private passOn(chunk: Buffer): void {
    if (this.destroyed) return;
    this.stallTimer.refresh();
    this.hash?.update(chunk);
    this.onBytes(chunk.length);
    if (!this.push(chunk)) this.source.pause();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.stallTimer);
    this.source.resume(); // what is still sent of a refused body goes nowhere
    done(error);
  }
}
