import type { AppError } from '../../../common/base/app-error.js';

/** Collects the first bytes of content while it passes, and has them judged once they are there. */
export class FirstBytes {
  private readonly chunks: Buffer[] = [];
  /** The verdict, once there is one. */
  problem?: AppError;
  private missing: number;
  private judged?: Promise<AppError | undefined>;

  constructor(
    count: number,
    private readonly judge: (head: Buffer) => Promise<AppError | undefined>,
  ) {
    this.missing = count;
  }

  /** Takes the next bytes. Returns the verdict once, when enough are there. */
  take(chunk: Buffer): Promise<AppError | undefined> | undefined {
    if (this.judged) return undefined;
    this.chunks.push(Buffer.from(chunk.subarray(0, this.missing)));
    this.missing -= Math.min(chunk.length, this.missing);
    return this.missing === 0 ? this.verdict() : undefined;
  }

  /** Returns the problem of the bytes that came, or nothing. The caller may not take more after this. */
  verdict(): Promise<AppError | undefined> {
    return (this.judged ??= this.judge(Buffer.concat(this.chunks)).then((problem) => (this.problem = problem)));
  }
}
