import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Database } from '../database/database.js';
import { Logger } from '../logging/logger.js';
import { type Counter, Metrics } from '../metrics/metrics.js';
import { RETENTION_COLUMNS, retentionOf } from './limits.js';
import { BackgroundJobs } from '../jobs/background-jobs.js';
import { type RetainedKind, TenantData } from './tenant-data.js';
import { backOffMs } from '../jobs/back-off.js';

const EVERY_MS = 15_000;
/** Maximum duration of a run. It ends before its lease, so that only one node works. */
const RUN_MS = 20_000;
/** Time for one task before the next one. */
const TURN_MS = 2_000;
/** Interval of searches for expired data under an unchanged period, and of retries of a failing task. */
const LOOK_EVERY_MS = 10 * 60_000;
/** Maximum number of rows removed in one step. */
const ROWS_PER_STEP = 500;
const DAY_MS = 86_400_000;

/** Removal of one kind of data of one tenant. */
interface Task {
  tenantId: string;
  kind: RetainedKind;
  days: number;
  /** Uses the system clock, like the period. */
  dueAtMs: number;
  lastTurnAtMs: number;
  /** Failed attempts since the last success. */
  failures: number;
}

/**
 * Removes expired data of tenants in limited steps. Runs every 10 minutes, and within 15 s after a period changes. Each step can be
 * repeated, so another node continues after a crash. The period of a file begins with its last change, so a file in use stays. The
 * admin log is retained, since it records who removed what.
 */
@Injectable()
export class RetentionJob {
  private tasks = new Map<string, Task>();
  private readonly removed: Counter<'kind'>;
  private readonly failures: Counter<'kind'>;

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly data: TenantData,
    private readonly logger: Logger,
    jobs: BackgroundJobs,
    metrics: Metrics,
  ) {
    this.removed = metrics.counter({
      name: 'retention_removed_total',
      help: 'Items removed at the end of their retention period, by kind: files, messages, mails, logs, events',
      labelNames: ['kind'],
    });
    this.failures = metrics.counter({
      name: 'retention_failures_total',
      help: 'Failed deletions of data past its retention period, by kind; each is retried',
      labelNames: ['kind'],
    });
    jobs.add({ name: 'retention', everyMs: EVERY_MS, run: (signal) => this.run(signal) });
  }

  async run(signal: AbortSignal): Promise<void> {
    const startedAtMs = performance.now();
    await this.readPeriods();
    const now = Date.now();
    let waiting = [...this.tasks.values()]
      .filter(({ dueAtMs }) => dueAtMs <= now || dueAtMs > now + LOOK_EVERY_MS) // later only if the clock was set back
      .sort((one, other) => one.lastTurnAtMs - other.lastTurnAtMs);
    while (waiting.length > 0) {
      const unfinished: Task[] = [];
      for (const task of waiting) {
        if (signal.aborted || performance.now() - startedAtMs > RUN_MS) return;
        if (await this.turn(task, signal)) unfinished.push(task);
      }
      waiting = unfinished;
    }
  }

  /**
   * Rebuilds the list of tasks. A task with an unchanged period keeps its state. Skips tenants being deleted, which lose all data anyway.
   */
  private async readPeriods(): Promise<void> {
    const { retention } = this.config;
    const isKeptByDefault = Object.values(retention).every((days) => days === Infinity);
    const ownPeriods = Object.values(RETENTION_COLUMNS).map((column) => ({ [column]: { not: null } }));
    const tenants = await this.database.acrossTenants('each tenant has its own periods').tenant.findMany({
      where: { deletingAt: null, ...(isKeptByDefault && { OR: ownPeriods }) },
    });
    const tasks = new Map<string, Task>();
    for (const tenant of tenants) {
      const periods = retentionOf(tenant, retention);
      for (const kind of this.data.retained) {
        const days = periods[kind.kind];
        if (days === Infinity) continue;
        const name = `${tenant.id} ${kind.kind}`;
        const known = this.tasks.get(name);
        const isSame = known?.days === days;
        tasks.set(name, isSame ? known : { tenantId: tenant.id, kind, days, dueAtMs: 0, lastTurnAtMs: 0, failures: 0 });
      }
    }
    this.tasks = tasks;
  }

  /** Returns whether the task has more to do in this run. After a failure, later runs retry after increasing pauses. */
  private async turn(task: Task, signal: AbortSignal): Promise<boolean> {
    const { tenantId, days, kind } = task;
    const startedAtMs = performance.now();
    const now = (task.lastTurnAtMs = Date.now());
    const before = new Date(now - days * DAY_MS);
    let removed = 0;
    try {
      for (let more = true; more;) {
        if (signal.aborted || performance.now() - startedAtMs > TURN_MS) return true;
        const step = await kind.remove(tenantId, before, { limit: ROWS_PER_STEP });
        this.removed.inc({ kind: kind.kind }, step.removed);
        removed += step.removed;
        more = step.more;
      }
      task.dueAtMs = now + LOOK_EVERY_MS;
      task.failures = 0;
    } catch (error) {
      this.failures.inc({ kind: kind.kind });
      task.dueAtMs = now + backOffMs(task.failures++, { first: EVERY_MS, longest: LOOK_EVERY_MS });
      this.logger.error(
        { err: error, tenantId, kind: kind.kind },
        'deleting data past its retention period failed; it will be retried',
      );
    } finally {
      if (removed > 0) this.logger.info({ tenantId, kind: kind.kind, days, removed }, 'removed expired data');
    }
    return false;
  }
}
