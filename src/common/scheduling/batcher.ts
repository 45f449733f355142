import { afterSilence } from '../base/in-time.js';
import { AppError } from '../base/app-error.js';
import { TenantScheduler } from './tenant-scheduler.js';
import { currentSpan, shared, type Span } from '../tracing/spans.js';

export interface BatcherOptions<T> {
  /** Maximum length of a batch of more than one item. */
  maxLength: number;
  /** Returns the length of an item, 1 by default. */
  lengthOf?: (item: T) => number;
  /** Maximum number of batches flushed concurrently, 1 by default. */
  concurrency?: number;
  /** Time that the first item of a batch waits for more; by default until the turn of the event loop ends. */
  flushIntervalMs?: number;
  /** Minimum interval between starts of concurrent flushes. A finished flush ends it early. */
  minIntervalMs?: number;
  /** Maximum wait of a caller. Unlimited by default, for flushes with their own limit. */
  deadlineMs?: number;
  /** Returns the tenant of an item; tenants alternate. */
  tenantOf?: (item: T) => string;
  /** Returns whether an error applies to all items of a batch; after any other, each item is tried alone. By default all fail. */
  failsTogether?: (error: unknown) => boolean;
  /** Called with the number of items of each batch. */
  onBatch?: (items: number) => void;
}

interface PendingItem<T, R> {
  item: T;
  length: number;
  /** Span in which the item was added, if traced. */
  span: Span | undefined;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

/**
 * Collects the items of concurrent callers and flushes them together: a statement for many costs little more than one for a single
 * item, and a commit waits for the disk. Items added during a flush form the next batch. `add` resolves to the result of its item
 * after the flush.
 */
export class Batcher<T, R = void> {
  private readonly scheduler = new TenantScheduler<PendingItem<T, R>>();
  private running = 0;
  /** Timer for the next batch, unless it starts in this turn of the event loop. */
  private gathering?: NodeJS.Timeout;
  private isScheduled = false;
  /** True if an item of the next batch is urgent. */
  private isUrgent = false;
  /** Runs from the start of a flush for minIntervalMs, or until the flush ends. */
  private pace?: NodeJS.Timeout;
  private isClosed = false;
  private onIdle: (() => void)[] = [];

  /** @param flush returns the results in the order of the items, or nothing */
  constructor(
    private readonly flush: (items: T[]) => Promise<readonly R[] | void>,
    private readonly options: BatcherOptions<T>,
  ) {}

  /** @param isUrgent whether to flush all waiting items now, without collecting more */
  add(item: T, { isUrgent = false } = {}): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      const { tenantOf, lengthOf, deadlineMs } = this.options;
      const tenantId = tenantOf?.(item) ?? '';
      const pending: PendingItem<T, R> = { item, length: lengthOf?.(item) ?? 1, span: currentSpan(), resolve, reject };
      if (deadlineMs) {
        const settled = afterSilence(deadlineMs, () => this.abandon(tenantId, pending));
        pending.resolve = (result) => (settled(), resolve(result));
        pending.reject = (error) => (settled(), reject(error as Error));
      }
      this.scheduler.add(tenantId, pending);
      if (isUrgent) this.flushNow();
      else this.schedule();
    });
  }

  /** Flushes all waiting items without collecting more. Resolves once everything is flushed. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.flushNow();
    while (this.running > 0 || this.scheduler.waiting > 0) await new Promise<void>((resolve) => this.onIdle.push(resolve));
  }

  /** Rejects an item after its deadline. Removes an item not being flushed yet; otherwise its outcome is unknown. */
  private abandon(tenantId: string, pending: PendingItem<T, R>): void {
    const isWithdrawn = this.scheduler.remove(tenantId, pending);
    const stored = isWithdrawn ? 'nothing was stored' : 'the change may have been stored nevertheless';
    pending.reject(new AppError('SERVICE_UNAVAILABLE', `The database is too slow at present, and ${stored}; try again`));
  }

  private flushNow(): void {
    this.isUrgent = true;
    clearTimeout(this.gathering);
    this.gathering = undefined;
    this.schedule();
  }

  private schedule(): void {
    const { concurrency = 1, flushIntervalMs } = this.options;
    if (this.gathering || this.isScheduled || this.pace || this.running >= concurrency || this.scheduler.waiting === 0) return;
    this.isScheduled = this.isUrgent || this.isClosed || !flushIntervalMs;
    if (this.isScheduled) setImmediate(() => this.begin());
    else this.gathering = setTimeout(() => this.begin(), flushIntervalMs);
  }

  private begin(): void {
    this.gathering = undefined;
    this.isScheduled = false;
    this.isUrgent = false;
    this.running++;
    const { minIntervalMs } = this.options;
    const pace = minIntervalMs ? setTimeout(() => this.resume(pace), minIntervalMs) : undefined;
    this.pace = pace;
    void this.flushBatch(this.takeBatch()).finally(() => {
      this.running--;
      this.resume(pace);
      for (const resolve of this.onIdle.splice(0)) resolve();
    });
    this.schedule();
  }

  private resume(pace: NodeJS.Timeout | undefined): void {
    clearTimeout(pace);
    if (this.pace === pace) this.pace = undefined;
    this.schedule();
  }

  private takeBatch(): PendingItem<T, R>[] {
    const batch: PendingItem<T, R>[] = [];
    let total = 0;
    for (let next = this.scheduler.peek(); next; next = this.scheduler.peek()) {
      total += next.length;
      if (total > this.options.maxLength && batch.length > 0) break;
      batch.push(this.scheduler.next()!);
    }
    return batch;
  }

  private async flushBatch(batch: PendingItem<T, R>[]): Promise<void> {
    this.options.onBatch?.(batch.length);
    try {
      const spans = batch.map(({ span }) => span);
      const results = await shared(spans, () => this.flush(batch.map(({ item }) => item)));
      for (const [index, { resolve }] of batch.entries()) resolve(results?.[index] as R);
    } catch (error) {
      const isFinal = batch.length === 1 || (this.options.failsTogether?.(error) ?? true);
      for (const pending of batch) await (isFinal ? pending.reject(error) : this.flushBatch([pending]));
    }
  }
}
