import { BadUserInputError, RateLimitedError } from './errors.js';
import { type CreateLogInput, OPERATIONS, type Operations, SERVICE } from './generated/log.js';
import { type Service, serviceOf } from './operations.js';
import type { Transport } from './transport.js';

export { audit, type AuditSubject } from './audit.js';

export interface LogWriterOptions {
  /** How long records gather for a batch, in milliseconds, unless it fills first; 20 by default. */
  gatherMs?: number;
  /** Records of a batch, 1 to 2,000; 500 by default. */
  batchRecords?: number;
  /** Limit of queued records, including those being sent; 10,000 by default. `write` refuses more. */
  maxWaiting?: number;
  /** Hears of records that were not stored. Without it, the promise of each `write` must be handled. */
  onError?: (error: unknown, record: CreateLogInput) => void;
}

/** The service with its operations, and a writer of many records. */
export type Log = Service<Operations> & {
  /** Makes a writer that sends records in batches. */
  writer(options?: LogWriterOptions): LogWriter;
};

type Methods = Service<Operations>;

interface Waiting {
  record: CreateLogInput;
  length: number;
  resolve: (id: string) => void;
  reject: (error: unknown) => void;
}

const MAX_BATCH_RECORDS = 2_000;
/** Characters of a batch. A request may have 16 MiB, of which a character takes up to three bytes. */
const BATCH_LENGTH = 4 * 1024 * 1024;

const refusal = (message: string | null | undefined) =>
  new BadUserInputError('BAD_USER_INPUT', message ?? 'The record was not stored', { mayHaveHappened: false });

export function logOf(transport: Transport): Log {
  const methods = serviceOf(transport, SERVICE, OPERATIONS);
  return { ...methods, writer: (options) => new LogWriter(methods, options) };
}

/**
 * Gathers records for a moment and stores them in batches, one after another. Records have idempotency keys, so that a batch whose
 * answer was lost is sent again and stored once. What waits when the process ends is lost: `close` before.
 */
export class LogWriter {
  private readonly gatherMs: number;
  private readonly batchRecords: number;
  private readonly maxWaiting: number;
  private readonly onError: LogWriterOptions['onError'];
  private readonly waiting: Waiting[] = [];
  private written = 0;
  private settled = 0;
  /** Calls of `flush` that wait, each for the records that were written before it. */
  private flushing: { until: number; resolve: () => void }[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private sending: Promise<void> | undefined;
  private isClosed = false;

  constructor(
    private readonly methods: Pick<Methods, 'createLogBatch'>,
    { gatherMs = 20, batchRecords = 500, maxWaiting = 10_000, onError }: LogWriterOptions = {},
  ) {
    if (!(batchRecords >= 1 && batchRecords <= MAX_BATCH_RECORDS)) throw new RangeError('batchRecords must be from 1 to 2,000');
    this.gatherMs = gatherMs;
    this.batchRecords = batchRecords;
    this.maxWaiting = maxWaiting;
    this.onError = onError;
  }

  /** Resolves with the id of the record once it is stored. @throws BadUserInputError for this record, or why its batch failed */
  write(record: CreateLogInput): Promise<string> {
    const stored = new Promise<string>((resolve, reject) => {
      if (this.isClosed) throw new TypeError('The writer is closed');
      const count = this.written - this.settled;
      if (count >= this.maxWaiting)
        throw new RateLimitedError('RATE_LIMITED', `${count} records wait to be stored already`, { mayHaveHappened: false });
      const keyed = { ...record, idempotencyKey: record.idempotencyKey ?? crypto.randomUUID() };
      this.waiting.push({ record: keyed, length: JSON.stringify(keyed).length, resolve, reject });
      this.written += 1;
    });
    const { onError } = this;
    if (onError) stored.catch((error: unknown) => onError(error, record));
    if (this.waiting.length >= this.batchRecords) void this.flush();
    else this.timer ??= setTimeout(() => void this.flush(), this.gatherMs);
    return stored;
  }

  /** Resolves once all records that were written before are stored or refused. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.sending ??= this.drain().finally(() => (this.sending = undefined));
    const until = this.written;
    if (this.settled >= until) return Promise.resolve();
    return new Promise((resolve) => this.flushing.push({ until, resolve }));
  }

  /** Stores what waits, and takes no more. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.flush();
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.takeBatch();
      await this.store(batch);
      this.settled += batch.length;
      while (this.flushing[0] && this.flushing[0].until <= this.settled) this.flushing.shift()!.resolve();
    }
  }

  private takeBatch(): Waiting[] {
    let length = 0;
    const end = this.waiting.findIndex((one, at) => (length += one.length) > BATCH_LENGTH && at > 0);
    return this.waiting.splice(0, Math.min(end < 0 ? this.waiting.length : end, this.batchRecords));
  }

  /** Settles each record of a batch; never fails. */
  private async store(batch: Waiting[]): Promise<void> {
    try {
      const input = batch.map(({ record }) => record);
      const { results } = await this.methods.createLogBatch({ input }, { results: { itemId: true, error: { message: true } } });
      for (const [at, { resolve, reject }] of batch.entries()) {
        const { itemId = null, error = null } = results[at] ?? {};
        if (itemId !== null) resolve(itemId);
        else reject(refusal(error?.message));
      }
    } catch (error) {
      if (!(error instanceof BadUserInputError) || batch.length === 1) {
        for (const { reject } of batch) reject(error);
        return;
      }
      // A value of a wrong type refuses the whole batch. Halving finds the record that has it.
      const middle = batch.length >> 1;
      await this.store(batch.slice(0, middle));
      await this.store(batch.slice(middle));
    }
  }
}
