import { BadUserInputError, RateLimitedError } from './errors.js';
import { type CreateLogInput, OPERATIONS, type Operations, SERVICE } from './generated/log.js';
import { type Service, serviceOf } from './operations.js';
import type { Transport } from './transport.js';

export { audit, type AuditSubject } from './audit.js';

export interface LogWriterOptions {
  /** Time to collect records for a batch, in milliseconds, unless it fills first; 20 by default. */
  gatherMs?: number;
  /** Records of a batch, 1 to 2,000; 500 by default. */
  batchRecords?: number;
  /** Limit of queued records, including those being sent; 10,000 by default. `write` refuses more. */
  maxWaiting?: number;
  /** Called with records that were not stored. Without it, handle the promise of each `write`. */
  onError?: (error: unknown, record: CreateLogInput) => void;
}

/** The service with its operations, and a writer for many records. */
export type Log = Service<Operations> & {
  /** Creates a writer that sends records in batches. */
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
/** Maximum characters of a batch. A request may have 16 MiB, and a character up to three bytes. */
const BATCH_LENGTH = 4 * 1024 * 1024;

const refusal = (message: string | null | undefined) =>
  new BadUserInputError('BAD_USER_INPUT', message ?? 'The record was not stored', { mayHaveHappened: false });

export function logOf(transport: Transport): Log {
  const methods = serviceOf(transport, SERVICE, OPERATIONS);
  return { ...methods, writer: (options) => new LogWriter(methods, options) };
}

/**
 * Collects records and stores them in batches, one after another. Records have idempotency keys, so a batch whose response was lost is
 * resent and stored once. Call `close` before the process ends, or queued records are lost.
 */
export class LogWriter {
  private readonly gatherMs: number;
  private readonly batchRecords: number;
  private readonly maxWaiting: number;
  private readonly onError: LogWriterOptions['onError'];
  private readonly waiting: Waiting[] = [];
  private written = 0;
  private settled = 0;
  /** Waiting calls of `flush`, each for the records written before it. */
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

  /** Resolves with the id of the record once it is stored. @throws BadUserInputError for this record, or the error of its batch */
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

  /** Resolves once all earlier records are stored or refused. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.sending ??= this.drain().finally(() => (this.sending = undefined));
    const until = this.written;
    if (this.settled >= until) return Promise.resolve();
    return new Promise((resolve) => this.flushing.push({ until, resolve }));
  }

  /** Stores queued records, and accepts no more. */
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

  /** Resolves or rejects each record of a batch; never fails itself. */
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
      // Finds the record with a value of a wrong type, which refuses the whole batch, by halving.
      const middle = batch.length >> 1;
      await this.store(batch.slice(0, middle));
      await this.store(batch.slice(middle));
    }
  }
}
