import type { AppError } from '../../../common/base/app-error.js';

/** Collects the first bytes of a content stream, then runs a check on them. */
export class FirstBytes {
  private readonly chunks: Buffer[] = [];
  /** Error found by the check, if any. */
  problem?: AppError;
  private missing: number;
  private judged?: Promise<AppError | undefined>;

  constructor(
    count: number,
    private readonly judge: (head: Buffer) => Promise<AppError | undefined>,
  ) {
    this.missing = count;
  }

  /** Adds a chunk. Returns the result of the check once enough bytes have arrived. */
  add(chunk: Buffer): Promise<AppError | undefined> | undefined {
    if (this.judged) return undefined;
    this.chunks.push(Buffer.from(chunk.subarray(0, this.missing)));
    this.missing -= Math.min(chunk.length, this.missing);
    return this.missing === 0 ? this.verdict() : undefined;
  }

  /** Runs the check on the bytes received so far. No more chunks may be added afterwards. */
  verdict(): Promise<AppError | undefined> {
    return (this.judged ??= this.judge(Buffer.concat(this.chunks)).then((problem) => (this.problem = problem)));
  }
}
