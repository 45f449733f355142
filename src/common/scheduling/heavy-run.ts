import { setImmediate } from 'node:timers/promises';
import { type AnswerBudget, MAX_ANSWER_BYTES, tooLarge } from './operation-budget.js';
import type { TenantSemaphore } from './tenant-semaphore.js';
import { eventLoop } from './event-loop.js';

/** Heavy work, as seen by its implementation. */
export interface Work extends AnswerBudget {
  /** Aborted once no caller waits for the result. */
  readonly signal: AbortSignal;
  /**
   * Ends a slice, so that other requests and tenants get their turn. Call it at least after each 2 ms of work and after each statement.
   * @throws once no caller waits for the result
   */
  turn(): Promise<void>;
}

/** Resources that heavy work reserves and is charged for. */
export interface HeavyNeeds {
  /** Peak memory of one run, reserved before it begins. A run that finds more rows reserves those itself. */
  memoryBytes: number;
  /** Cost per use of the field in an operation: the maximum number of records that it reads, divided by 100. */
  cost: number;
  /** Text argument that the cost grows with, and its length at the full cost. */
  text?: { argument: string; length: number };
}

/** Ends a slice of work. Outside of heavy work, such as in a command, it only yields to the event loop. */
export const turnOf = (work: Work | undefined): Promise<void> => (work ? work.turn() : setImmediate());

/** Error that ends abandoned work. No caller sees it. */
export const ABANDONED = new Error('Nobody waits for this work any more');

/** Run of heavy work. All callers who asked before it began get its result; it is aborted once all of them have disconnected. */
export class Run implements Work {
  private readonly aborter = new AbortController();
  private readonly operations: AnswerBudget[] = [];
  private readonly result = deferred<unknown>();
  private heldBytes = 0;

  constructor(
    readonly tenantId: string,
    readonly question: string,
    private readonly pool: TenantSemaphore,
  ) {
    this.result.promise.catch(ignore); // handles the rejection: a run may fail after all its callers have left
  }

  get signal(): AbortSignal {
    return this.aborter.signal;
  }

  /** Waits for the result on behalf of an operation, at most until the operation is over. */
  async resultFor(operation: AnswerBudget): Promise<unknown> {
    this.operations.push(operation);
    const left = deferred<never>();
    const forget = operation.onOver(() => left.reject(ABANDONED));
    try {
      return await Promise.race([this.result.promise, left.promise]);
    } finally {
      forget();
      this.operations.splice(this.operations.indexOf(operation), 1);
      if (this.operations.length === 0) this.abandon();
    }
  }

  /** Returns whether an operation that waits for `other` also waits for this run. */
  isOfSameOperation(other: Run): boolean {
    return this.operations.some((operation) => other.operations.includes(operation));
  }

  /** Does the work in its slot. Never rejects. */
  async execute(memoryBytes: number, work: () => Promise<unknown>): Promise<void> {
    try {
      await this.reserve(memoryBytes);
      await eventLoop.yield(this.tenantId);
      this.signal.throwIfAborted();
      this.result.resolve(await work());
    } catch (error) {
      this.fail(error);
    } finally {
      this.release();
    }
  }

  /** Releases its memory. */
  release(): void {
    this.pool.release(this.tenantId, this.heldBytes);
    this.heldBytes = 0;
  }

  /** Aborts the work, since no caller waits for it any more. */
  abandon(): void {
    this.aborter.abort(ABANDONED);
  }

  fail(error: unknown): void {
    this.result.reject(error);
  }

  async turn(): Promise<void> {
    this.signal.throwIfAborted();
    await (eventLoop.sliceUsed ? eventLoop.yield(this.tenantId) : setImmediate());
    this.signal.throwIfAborted();
  }

  async reserve(sizeBytes: number): Promise<void> {
    if (this.heldBytes + sizeBytes > MAX_ANSWER_BYTES) throw tooLarge('The data that the operation reads');
    await this.pool.take(this.tenantId, sizeBytes, { holdsSome: this.heldBytes > 0 });
    this.heldBytes += sizeBytes;
  }

  throwIfLeft(): void {
    this.signal.throwIfAborted();
  }

  onOver(stop: () => void): () => void {
    this.signal.addEventListener('abort', stop);
    return () => this.signal.removeEventListener('abort', stop);
  }
}

const ignore = (): void => undefined;

/** Replaces Promise.withResolvers, which Node 20 lacks. */
function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((...both) => ([resolve, reject] = both));
  return { promise, resolve, reject };
}
