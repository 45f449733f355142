import { randomUUID } from 'node:crypto';
import type { Logger } from '../logging/logger.js';

const POLL_MS = 1_000;
const LEASE_MS = 15_000;
/** How long a row that could not be served is left alone at least, whatever makes this node look. */
const REST_MS = 600;

/** A row that one node at a time works on, while its lease lasts. */
interface LeasedRow {
  id: string;
}

interface Claim {
  id: { in: string[] };
  active: boolean;
  OR: ({ leaseUntil: null } | { leaseUntil: { lte: Date } } | { leaseHolder: string })[];
}
interface Lease {
  leaseHolder: string | null;
  leaseUntil: Date | null;
}

/** The model of a table with leases. */
interface LeasedModel<Row> {
  updateMany(args: { where: { id: string | { in: string[] }; leaseHolder: string }; data: Partial<Lease> }): PromiseLike<unknown>;
  updateManyAndReturn(args: { where: Claim; data: Lease }): PromiseLike<Row[]>;
}

interface Work<Row> {
  /** What a row is, such as `webhook`: a word of log lines. */
  what: string;
  /** Rows that this node works on at a time. */
  most: number;
  model: LeasedModel<Row>;
  /** Returns ids of rows with something to do that are free, or this holder's. */
  due(holder: string, limit: number): Promise<string[]>;
  /** Returns whether everything is done that could be; else a poll tries again, since what stopped it may last. */
  run(row: Row, signal: AbortSignal): Promise<boolean>;
  /** Whether there can be no row at all. */
  isIdle?(): boolean;
}

/**
 * Works on rows of a table, on every node. A lease gives a row to one node at a time; the leases of a dead node end within 15 s.
 * Looks for rows each second, and at once where it is told to.
 */
export class LeasedRows<Row extends LeasedRow> {
  readonly holder = randomUUID();
  private readonly running = new Map<string, Promise<void>>();
  private readonly resting = new Set<string>();
  private readonly stopping = new AbortController();
  private timers: NodeJS.Timeout[] = [];
  private isLooking = false;
  private isWoken = false;

  constructor(
    private readonly work: Work<Row>,
    private readonly logger: Logger,
  ) {}

  get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  start(): void {
    this.timers = [setInterval(() => void this.look(), POLL_MS), setInterval(() => void this.renew(), LEASE_MS / 3)];
  }

  /** Ends what runs. */
  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    this.stopping.abort();
    await Promise.all(this.running.values());
  }

  /** Begins to work on rows with something to do. Never rejects. */
  async look(): Promise<void> {
    this.isWoken = true;
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      while (this.isWoken && !this.isStopping && !this.work.isIdle?.()) {
        this.isWoken = false;
        await this.begin();
      }
    } catch (error) {
      this.logger.warn({ err: error }, `no ${this.work.what} can be read; trying again in 1 s`);
    } finally {
      this.isLooking = false;
    }
  }

  private async begin(): Promise<void> {
    const { holder } = this;
    const { most, model } = this.work;
    const due = await this.work.due(holder, 2 * most);
    const ids = due.filter((id) => !this.running.has(id) && !this.resting.has(id)).slice(0, most - this.running.size);
    if (ids.length === 0) return;
    const now = Date.now();
    const OR = [{ leaseUntil: null }, { leaseUntil: { lte: new Date(now) } }, { leaseHolder: holder }];
    const data = { leaseHolder: holder, leaseUntil: new Date(now + LEASE_MS) };
    for (const row of await model.updateManyAndReturn({ where: { id: { in: ids }, active: true, OR }, data })) {
      const run = this.run(row).then((isDone) => {
        this.running.delete(row.id);
        if (isDone) return void this.look();
        this.resting.add(row.id);
        setTimeout(() => this.resting.delete(row.id), REST_MS).unref();
      });
      this.running.set(row.id, run);
    }
  }

  /** Never rejects. */
  private async run(row: Row): Promise<boolean> {
    try {
      return await this.work.run(row, this.stopping.signal);
    } catch (error) {
      if (!this.isStopping) {
        this.logger.warn({ err: error, id: row.id }, `a ${this.work.what} could not be served; trying again in 1 s`);
      }
      return false;
    } finally {
      await this.release(row.id);
    }
  }

  private async release(id: string): Promise<void> {
    const data = { leaseHolder: null, leaseUntil: null };
    const where = { id, leaseHolder: this.holder };
    await Promise.resolve(this.work.model.updateMany({ where, data })).catch(() => undefined); // the lease ends by itself
  }

  private async renew(): Promise<void> {
    const ids = [...this.running.keys()];
    if (ids.length === 0) return;
    try {
      const where = { id: { in: ids }, leaseHolder: this.holder };
      await this.work.model.updateMany({ where, data: { leaseUntil: new Date(Date.now() + LEASE_MS) } });
    } catch (error) {
      this.logger.warn({ err: error }, `a lease of a ${this.work.what} could not be renewed`);
    }
  }
}
