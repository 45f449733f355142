import { createHash, type Hash } from 'node:crypto';
import { type Readable, Transform, type TransformCallback } from 'node:stream';
import { AppError } from '../../common/errors/app-error.js';

/** A transfer on which no byte arrives for so long is given up. */
const STALL_LIMIT_MS = 60_000;

/** Passes content on and knows its length and SHA-256 afterwards. Fails with 408 when the sender stalls. */
export class ContentMeter extends Transform {
  private readonly hash?: Hash;
  private readonly stallTimer: NodeJS.Timeout;
  sizeBytes = 0;

  constructor(
    private readonly onBytes: (count: number) => void,
    { stallLimitMs = STALL_LIMIT_MS, hashed = true } = {},
  ) {
    super({ highWaterMark: 256 * 1024 });
    if (hashed) this.hash = createHash('sha256');
    const stalled = new AppError('BAD_REQUEST', `No byte arrived for ${stallLimitMs / 1000} s; send the file again`, {
      status: 408,
    });
    this.stallTimer = setTimeout(() => this.destroy(stalled), stallLimitMs);
  }

  /**
   * Takes in what a request sends. Unlike a pipeline it leaves the request alone when the receiving side fails, so that
   * the failure can still be answered.
   */
  feedFrom(content: Readable): void {
    content.once('error', (error) => this.destroy(error));
    content.once('close', () => {
      if (!content.readableEnded) this.destroy(Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' }));
    });
    content.pipe(this);
  }

  /** Of all that passed; to be asked for once, at the end. */
  sha256(): string {
    if (!this.hash) throw new Error('This content is not hashed');
    return this.hash.digest('hex');
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.stallTimer.refresh();
    this.hash?.update(chunk);
    this.sizeBytes += chunk.length;
    this.onBytes(chunk.length);
    done(null, chunk);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.stallTimer);
    done(error);
  }
}
