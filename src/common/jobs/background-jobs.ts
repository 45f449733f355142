import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DuePoll } from '../database/due-poll.js';
import type { Dialect } from '../database/sql/dialect.js';
import type { Sql } from '../database/sql/sql.js';
import { isDatabaseUnavailable } from '../base/database-faults.js';
import { Logger } from '../logging/logger.js';
import { Leases } from './leases.js';
import { JobMetrics } from './job-metrics.js';

/** Subtracted from pauses, so that a job with the interval of the poll runs at every poll. */
const POLL_SLACK_MS = 500;
/** Time that running jobs, or the database, may take of the 10 s for a shutdown. */
const STOP_PATIENCE_MS = 5_000;

export interface Job {
  /** Name of the job and its lease. */
  name: string;
  /** Pause between two runs. */
  everyMs: number;
  /** Condition for a run, except for the first after startup. The poll evaluates it. */
  due?: (dialect: Dialect) => Sql;
  run: (signal: AbortSignal) => Promise<void>;
}

/** Runs each background job on one node at a time. Logs a failed run and repeats it later. */
@Injectable()
export class BackgroundJobs implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly jobs: Job[] = [];
  private readonly stopping = new AbortController();
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly running = new Map<Job, Promise<void>>();
  /** End times of the pauses of jobs that the poll starts, on the monotonic clock. */
  private readonly restUntilMs = new Map<Job, number>();

  constructor(
    private readonly poll: DuePoll,
    private readonly leases: Leases,
    private readonly metrics: JobMetrics,
    private readonly logger: Logger,
  ) {}

  /** Adds a job. Services call it in their constructor. */
  add(job: Job): void {
    this.jobs.push(job);
    this.metrics.added(job.name, job.everyMs);
    if (job.due) this.poll.whenDue(job.due, (isDue) => this.answered(job, isDue));
  }

  onApplicationBootstrap(): void {
    for (const job of this.jobs) this.schedule(job, 1_000 * Math.random());
  }

  /** Runs all jobs now, in addition to their schedule. */
  async runNow(): Promise<void> {
    await Promise.all(this.jobs.map((job) => this.runOnce(job)));
  }

  /**
   * Stops running jobs at their next safe point. If the database does not respond, a job may not stop in time; its lease then
   * expires.
   */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    for (const timer of this.timers) clearTimeout(timer);
    let limit: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => (limit = setTimeout(resolve, STOP_PATIENCE_MS)));
    await Promise.race([this.end(), patience]);
    clearTimeout(limit);
  }

  private async end(): Promise<void> {
    await Promise.all(this.running.values());
    await Promise.all(this.jobs.map(({ name }) => this.leases.release(name).catch(() => undefined)));
  }

  private schedule(job: Job, delayMs: number): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.begin(job);
    }, delayMs);
    this.timers.add(timer);
  }

  private begin(job: Job): void {
    const run = this.runOnce(job).finally(() => {
      this.running.delete(job);
      this.restUntilMs.set(job, performance.now() + job.everyMs - POLL_SLACK_MS);
      if (!this.stopping.signal.aborted && !job.due) this.schedule(job, job.everyMs);
    });
    this.running.set(job, run);
  }

  private answered(job: Job, isDue: boolean): void {
    if (this.stopping.signal.aborted || this.running.has(job)) return;
    if (!isDue) this.metrics.idle(job.name);
    else if (performance.now() >= (this.restUntilMs.get(job) ?? Infinity)) this.begin(job);
  }

  /**
   * Runs a job under its lease. The lease is longer than the pause, so one node keeps the job; another takes over two pauses after that
   * node died. A run may outlast its lease, since repeated work is harmless.
   */
  private async runOnce({ name, everyMs, run }: Job): Promise<void> {
    try {
      const isOurs = await this.leases.take(name, 2 * everyMs);
      this.metrics.held(name, isOurs);
      if (!isOurs) return;
      await run(this.stopping.signal);
      this.metrics.succeeded(name);
    } catch (error) {
      this.metrics.failed(name);
      const level = isDatabaseUnavailable(error) ? 'warn' : 'error';
      this.logger[level]({ err: error, work: name }, 'background work failed; retrying later');
    }
  }
}
