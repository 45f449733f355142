import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Logger } from '../logging/logger.js';
import { Leases } from './leases.js';
import { WorkMetrics } from './work-metrics.js';

/** How long work under way, or the database, may take of the 10 s that a stopping node has. */
const STOP_PATIENCE_MS = 5_000;

export interface Work {
  /** Also the name of its lease. */
  name: string;
  everyMs: number;
  run: (signal: AbortSignal) => Promise<void>;
}

/** Runs background work on one node at a time, whichever is up. A failed run is logged and repeated later. */
@Injectable()
export class Workers implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly works: Work[] = [];
  private readonly stopping = new AbortController();
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly leases: Leases,
    private readonly metrics: WorkMetrics,
    private readonly logger: Logger,
  ) {}

  /** Adds work. A service calls it while it is constructed. */
  add(work: Work): void {
    this.works.push(work);
    this.metrics.added(work.name, work.everyMs);
  }

  onApplicationBootstrap(): void {
    for (const work of this.works) this.schedule(work, 1_000 * Math.random());
  }

  /** Runs all work once more, now, whenever its next turn is. */
  async runNow(): Promise<void> {
    await Promise.all(this.works.map((work) => this.runOnce(work)));
  }

  /** Stops work under way at its next safe point. Work that does not stop in time, on a silent database, is left to its lease. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    for (const timer of this.timers) clearTimeout(timer);
    let limit: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => (limit = setTimeout(resolve, STOP_PATIENCE_MS)));
    await Promise.race([this.end(), patience]);
    clearTimeout(limit);
  }

  private async end(): Promise<void> {
    await Promise.all(this.running);
    await Promise.all(this.works.map(({ name }) => this.leases.release(name).catch(() => undefined)));
  }

  private schedule(work: Work, delayMs: number): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      const run = this.runOnce(work).finally(() => {
        this.running.delete(run);
        if (!this.stopping.signal.aborted) this.schedule(work, work.everyMs);
      });
      this.running.add(run);
    }, delayMs);
    this.timers.add(timer);
  }

  /**
   * The lease outlives the pause, so that one node keeps the work, and another takes over two pauses after that node
   * died. A run may outlast its lease: doing the work twice causes no harm.
   */
  private async runOnce({ name, everyMs, run }: Work): Promise<void> {
    try {
      const isOurs = await this.leases.take(name, 2 * everyMs);
      this.metrics.held(name, isOurs);
      if (!isOurs) return;
      await run(this.stopping.signal);
      this.metrics.succeeded(name);
    } catch (error) {
      this.metrics.failed(name);
      this.logger.error({ err: error, work: name }, 'background work failed; it will run again');
    }
  }
}
