import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import { type Config, isHeapSizeSet } from './common/config/config.js';
import { createLogger, type Logger } from './common/logging/logger.js';
import { FIGURES, FIGURES_OF_ALL, IS_ALIVE, request, respond } from './common/workers/ipc.js';
import { MIB } from './common/base/amounts.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** Uptime after which the exit of a worker is not blamed on its start. */
const STEADY_MS = 60_000;
/** Time limit for stopping. Workers cut off their requests 10 s after the drain. */
const STOP_MS = 12_000;
/**
 * Unanswered requests in a row after which a worker counts as hanging, which takes 20 s. A pause of the machine costs one.
 */
const MAX_UNANSWERED = 10;
const ANSWER_MS = 2_000;
const BETWEEN_QUESTIONS_MS = 2_000;
const LEAST_HEAP_MIB = 512;

/**
 * Starts the workers, which serve one port, and replaces each that exits or hangs. Serves nothing itself, but distributes connections
 * in round-robin order. Workers that accept themselves (SCHED_NONE) share unevenly: one held 5,868 files, another 1,877. `reusePort`
 * requires Node 22.12, and a frozen worker would keep the connections that the kernel gave it. The first worker prepares the database
 * before the others start; if it fails, the node exits with 1.
 */
export function runPrimary(config: Config): void {
  const logger = createLogger(config);
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('main.js', import.meta.url)),
    args: [],
    execArgv: [...process.execArgv, ...heapShare(config.workers)],
  });
  new Primary(config, logger).start();
}

class Primary {
  private readonly servingSinceMs = new Map<Worker, number>();
  private reading: Promise<unknown> | undefined;
  private hasServed = false;
  private isComplete = false;
  private isStopping = false;
  private pauseMs = FIRST_PAUSE_MS;

  constructor(
    private readonly config: Config,
    private readonly logger: Logger,
  ) {}

  start(): void {
    if (!this.config.isPostgres) {
      this.logger.warn('WORKERS is above 1 with SQLite, which has one writer: it gains little; PostgreSQL uses all cores');
    }
    cluster.on('listening', (worker) => this.serves(worker));
    cluster.on('exit', (worker, code, signal) => this.ended(worker, code, signal));
    process.on('SIGTERM', (signal) => this.stop(signal));
    process.on('SIGINT', (signal) => this.stop(signal));
    this.fork();
  }

  private fork(): void {
    if (this.isStopping) return;
    const worker = cluster.fork();
    respond(worker, FIGURES_OF_ALL, () => this.figures());
    // Also emitted for a message to an exited worker. The worker is replaced when it exits, regardless of the error.
    worker.on('error', (error) => this.logger.error({ err: error, worker: worker.id }, 'a worker cannot be forked or reached'));
  }

  private serves(worker: Worker): void {
    if (this.servingSinceMs.has(worker)) return; // it listens on BOUNCE_PORT too, which comes second
    this.servingSinceMs.set(worker, performance.now());
    void this.watch(worker);
    if (!this.hasServed) for (let count = 1; count < this.config.workers; count++) this.fork();
    this.hasServed = true;
    if (this.isComplete || this.servingSinceMs.size < this.config.workers) return;
    this.isComplete = true;
    this.logger.info({ workers: this.config.workers }, 'all workers serve');
  }

  private ended(worker: Worker, code: number | null, signal: string | null): void {
    const sinceMs = this.servingSinceMs.get(worker);
    this.servingSinceMs.delete(worker);
    if (this.isStopping) return this.exitAfterTheLast();
    if (!this.hasServed) process.exit(code || 1); // the worker has printed the reason
    const wasSteady = sinceMs !== undefined && performance.now() - sinceMs > STEADY_MS;
    this.pauseMs = wasSteady ? FIRST_PAUSE_MS : Math.min(2 * this.pauseMs, LONGEST_PAUSE_MS);
    this.isComplete = false;
    this.logger.error({ worker: worker.id, code, signal, pauseMs: this.pauseMs }, 'a worker exited; starting another one');
    setTimeout(() => this.fork(), this.pauseMs);
  }

  /** Kills a worker that hangs: it would keep its connections and answer none of them. */
  private async watch(worker: Worker): Promise<void> {
    for (let unanswered = 0; worker.isConnected();) {
      unanswered = (await request(worker, IS_ALIVE, ANSWER_MS)) ? 0 : unanswered + 1;
      if (unanswered === 0) await sleep(BETWEEN_QUESTIONS_MS);
      if (unanswered < MAX_UNANSWERED) continue;
      this.logger.error({ worker: worker.id }, 'a worker did not respond for 20 s; it is killed');
      worker.process.kill('SIGKILL');
      return;
    }
  }

  /** Collects the metrics of serving, responsive workers. Concurrent callers share them. */
  private figures(): Promise<unknown> {
    return (this.reading ??= this.gather().finally(() => (this.reading = undefined)));
  }

  private async gather(): Promise<unknown> {
    const all = [...this.servingSinceMs.keys()].map(async (worker) => {
      return { worker: worker.id, figures: await request(worker, FIGURES, ANSWER_MS) };
    });
    return (await Promise.all(all)).filter(({ figures }) => figures !== undefined);
  }

  /** Stops the workers gracefully: each finishes its requests. */
  private stop(signal: NodeJS.Signals): void {
    const workers = Object.values(cluster.workers ?? {});
    for (const worker of workers) worker?.process.kill('SIGTERM');
    if (this.isStopping) return;
    this.isStopping = true;
    this.logger.info({ signal }, 'stopping all workers');
    setTimeout(
      () => {
        for (const worker of workers) worker?.process.kill('SIGKILL');
      },
      this.config.drainSeconds * 1_000 + STOP_MS,
    ).unref();
    this.exitAfterTheLast();
  }

  private exitAfterTheLast(): void {
    if (Object.values(cluster.workers ?? {}).every((worker) => worker?.isDead())) process.exit(0);
  }
}

/** Returns the option for each worker's share of the heap that one process would have, unless the operator set a size. */
function heapShare(workers: number): string[] {
  if (isHeapSizeSet()) return [];
  const share = Math.floor(getHeapStatistics().heap_size_limit / MIB / workers);
  return [`--max-old-space-size=${Math.max(LEAST_HEAP_MIB, share)}`];
}
