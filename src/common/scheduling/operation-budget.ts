import type { ServerResponse } from 'node:http';
import { AppError } from '../base/app-error.js';
import { MIB } from '../base/amounts.js';
import { deadlines } from './deadlines.js';
import type { TenantSemaphore } from './tenant-semaphore.js';

/** Memory that one operation may use for its rows and answer, out of the memory for all operations of the process. */
export interface AnswerBudget {
  /**
   * Reserves memory for rows once their size is known, and releases it once the answer is sent.
   * @throws PAYLOAD_TOO_LARGE over the limit of one operation; SERVICE_UNAVAILABLE if the process has no memory left
   */
  reserve(sizeBytes: number): Promise<void>;
  /** Calls `stop` once the operation is over and no longer needs the rows, unless the returned function is called first. */
  onOver(stop: () => void): () => void;
  /**
   * Stops work that has changed nothing yet. A mutation is not over while a root field runs, even if its caller left.
   * @throws once the operation is over or its caller has disconnected
   */
  throwIfLeft(): void;
}

/** Maximum size of the rows of one operation, and of its answer. */
export const MAX_ANSWER_BYTES = 64 * MIB;
/** Maximum duration of an operation. */
const MAX_RUN_MS = 30_000;
/** Maximum number of failed fields in one operation; each error is far larger than a field. */
const MAX_ERRORS = 1_000;
/** Memory that every operation has without a reservation. Also the minimum reservation beyond that. */
const FREE_BYTES = 256 * 1024;
const STEP_BYTES = MIB;

const FINISHED = new AppError('SERVICE_UNAVAILABLE', 'The operation is over');
const LEFT = new AppError('SERVICE_UNAVAILABLE', 'The caller closed the connection');

/**
 * Limits one operation to 64 MiB of rows, 64 MiB of answer and 30 s, and ends a query once its caller disconnects. Rows and answer are
 * mostly the same strings, so the larger of the two is taken from the memory that all operations share. At a limit the operation is
 * over: each incomplete root field fails with one error, and no other field is started.
 */
export class OperationBudget implements AnswerBudget {
  /** Error with which the operation ended; undefined while it runs. */
  over?: AppError;
  /** Pending while the operation waits for memory. Code that adds to the answer awaits it first. */
  waiting?: Promise<void>;
  answeredBytes = 0;
  endsAt = Infinity;
  private rowBytes = 0;
  private grantedBytes = FREE_BYTES;
  private isReleased = false;
  private errors = 0;
  private endsWithCaller = false;
  /** Created on first use, since few operations need it. */
  private listeners?: Set<() => void>;
  private readonly pending = new Set<(reason?: unknown) => void>();

  constructor(
    private readonly pool: TenantSemaphore,
    readonly tenantId: string,
    private readonly response: Pick<ServerResponse, 'closed' | 'once'>,
    private readonly maxRunMs = MAX_RUN_MS,
  ) {}

  /**
   * Starts the time limit. Call it before the first field is resolved.
   * @param endsWithCaller whether the operation is over once its caller closes the connection
   */
  start({ endsWithCaller = false } = {}): void {
    this.endsWithCaller = endsWithCaller;
    this.endsAt = performance.now() + this.maxRunMs;
    deadlines.add(this);
  }

  /** Ends the operation. Call it once no more fields will be resolved. */
  finish(): void {
    deadlines.delete(this);
    this.over ??= FINISHED;
    this.tellListeners();
    if (this.response.closed) this.release();
    else if (this.waiting || this.grantedBytes > FREE_BYTES) this.response.once('close', () => this.release());
  }

  async reserve(sizeBytes: number): Promise<void> {
    this.rowBytes += sizeBytes;
    if (this.rowBytes > MAX_ANSWER_BYTES) this.end(tooLarge('The data that the operation reads'));
    if (!this.over) await this.grow();
    if (this.over) throw this.over;
  }

  /** Counts a part of the answer. If memory is short, returns a promise to await before adding more. */
  count(sizeBytes: number): Promise<void> | undefined {
    this.answeredBytes += sizeBytes;
    if (this.answeredBytes <= this.grantedBytes) return undefined;
    if (this.answeredBytes > MAX_ANSWER_BYTES) this.end(tooLarge('The answer'));
    return this.over ? undefined : this.grow();
  }

  /** Counts a failed field. */
  countError(): void {
    if (++this.errors > MAX_ERRORS) this.end(tooManyErrors());
  }

  /**
   * Calls `fulfilled` or `stopped` once the promise settles, but `stopped` at once when the operation is over. The field gets
   * the returned value, or the thrown error.
   */
  settle<T>(promise: PromiseLike<T>, fulfilled: (value: T) => unknown, stopped: (reason?: unknown) => unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const stop = (reason?: unknown): void => {
        try {
          if (this.pending.delete(stop)) resolve(stopped(reason));
        } catch (error) {
          reject(error);
        }
      };
      this.pending.add(stop);
      promise.then((value) => {
        try {
          if (this.pending.delete(stop)) resolve(fulfilled(value));
        } catch (error) {
          reject(error);
        }
      }, stop);
    });
  }

  onOver(stop: () => void): () => void {
    if (this.over) stop();
    else (this.listeners ??= new Set()).add(stop);
    return () => void this.listeners?.delete(stop);
  }

  throwIfLeft(): void {
    if (this.over) throw this.over;
    if (this.response.closed) throw LEFT;
  }

  get isAbandoned(): boolean {
    return this.endsWithCaller && this.response.closed;
  }

  /** Ends the operation before its next root field if its caller disconnected. A started change is completed. */
  beforeRoot(): void {
    if (this.response.closed) this.abandon();
  }

  /** Ends the operation of a caller who disconnected. */
  abandon(): void {
    deadlines.delete(this);
    this.end(LEFT);
  }

  /** Ends the operation at `endsAt`, its time limit. */
  expire(): void {
    deadlines.delete(this);
    this.end(tookTooLong());
  }

  private end(error: AppError): void {
    this.over ??= error;
    for (const stop of this.pending) stop();
    this.tellListeners();
  }

  private tellListeners(): void {
    for (const stop of this.listeners ?? []) stop();
    this.listeners = undefined;
  }

  private get missingBytes(): number {
    return Math.max(this.rowBytes, this.answeredBytes) - this.grantedBytes;
  }

  private grow(): Promise<void> | undefined {
    if (this.waiting || this.missingBytes <= 0) return this.waiting;
    const moreBytes = Math.max(this.missingBytes, STEP_BYTES);
    if (!this.pool.tryTake(this.tenantId, moreBytes)) return (this.waiting = this.waitForMemory());
    this.grantedBytes += moreBytes;
    return undefined;
  }

  /** Reserves memory, and ends the operation if there is none. Never rejects. */
  private async waitForMemory(): Promise<void> {
    try {
      while (this.missingBytes > 0) {
        const moreBytes = this.missingBytes;
        await this.pool.take(this.tenantId, moreBytes, { holdsSome: this.grantedBytes > FREE_BYTES });
        if (this.isReleased) return this.pool.release(this.tenantId, moreBytes);
        this.grantedBytes += moreBytes;
      }
    } catch (error) {
      this.end(error as AppError);
    } finally {
      this.waiting = undefined;
    }
  }

  private release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.pool.release(this.tenantId, this.grantedBytes - FREE_BYTES);
  }
}

export function tooLarge(subject: string): AppError {
  return new AppError(
    'PAYLOAD_TOO_LARGE',
    `${subject} is larger than 64 MiB; ask for smaller pages, a lower limit or fewer fields`,
  );
}

function tooManyErrors(): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', `More than ${MAX_ERRORS} fields of the operation failed`);
}

function tookTooLong(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', 'The operation took longer than 30 s; changes that it began may still take effect');
}
