import { randomUUID } from 'node:crypto';
import type { Sql } from '../database/sql/sql.js';
import type { Logger } from '../logging/logger.js';
import { TenantScheduler } from '../scheduling/tenant-scheduler.js';
import type { DueRow, DueWanted } from './due-rows.js';

const LEASE_MS = 15_000;
/** How long before the end of its lease a node stops working on a row: clocks of nodes differ, and what is under way has to end. */
const MARGIN_MS = 2_000;
/** How long a row that could not be served is left alone at least, whatever makes this node look. */
const REST_MS = 600;

/** A row that one node at a time works on, while its lease lasts. */
export interface LeasedRow {
  id: string;
}

interface Claim {
  id: { in: string[] };
  active: boolean;
  OR: ({ leaseUntil: null } | { leaseUntil: { lte: Date } } | { leaseHolder: string })[];
}
interface Held {
  id: { in: string[] };
  leaseHolder: string;
}
interface Lease {
  leaseHolder: string | null;
  leaseUntil: Date | null;
}

/** The model of a table with leases. */
interface LeasedModel<Row> {
  updateMany(args: { where: { id: string; leaseHolder: string }; data: Partial<Lease> }): PromiseLike<unknown>;
  updateManyAndReturn(args: { where: Claim | Held; data: Partial<Lease> }): PromiseLike<Row[]>;
}

export interface Work<Row> {
  /** What a row is, such as `webhook`: a word of log lines. */
  what: string;
  /** Rows that this node works on at once, and those of one tenant. Rows that fail get half of both, so that others find room. */
  most: number;
  share: number;
  model: LeasedModel<Row>;
  /** Returns rows with something to do that are free, or this holder's; healthy ones first, in round-robin order of their tenants. */
  due(wanted: DueWanted): Promise<DueRow[]>;
  /**
   * Returns whether everything is done that could be; else a poll tries again, since what stopped it may last. The signal is aborted
   * when the node stops, and when the lease ends: another node may work on the row then.
   */
  run(row: Row, signal: AbortSignal): Promise<boolean>;
  /** Condition without which nothing can be due. */
  mayBeDue(): Sql;
}

/** The lease of a row as this node knows it. Ends by itself unless a renewal is answered. */
class HeldLease {
  private readonly lost = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  readonly signal: AbortSignal;

  /** @param since when the lease was asked for, on the monotonic clock */
  constructor(since: number, stopping: AbortSignal) {
    this.signal = AbortSignal.any([stopping, this.lost.signal]);
    this.lastsFrom(since);
  }

  lastsFrom(since: number): void {
    this.end();
    this.timer = setTimeout(() => this.lose(), since + LEASE_MS - MARGIN_MS - performance.now()).unref();
  }

  lose(): void {
    this.lost.abort(new Error('the lease has ended'));
  }

  /** Ends the wait for the end of the lease. */
  end(): void {
    clearTimeout(this.timer);
  }
}

/**
 * Works on rows of a table, on every node. A lease gives a row to one node at a time; the leases of a dead node end within 15 s.
 * Looks for rows each second, and at once where it is told to.
 */
export class LeasedRows<Row extends LeasedRow> {
  readonly holder = randomUUID();
  private readonly running = new Map<string, Promise<void>>();
  private readonly leases = new Map<string, HeldLease>();
  private readonly resting = new Set<string>();
  private readonly stopping = new AbortController();
  private readonly slots: TenantScheduler<never>;
  private readonly slotsOfFailing: TenantScheduler<never>;
  private timer: NodeJS.Timeout | undefined;
  private isLooking = false;
  private isWoken = false;

  constructor(
    private readonly work: Work<Row>,
    private readonly logger: Logger,
  ) {
    const { most, share } = work;
    this.slots = new TenantScheduler({ capacity: most, share });
    this.slotsOfFailing = new TenantScheduler({ capacity: Math.floor(most / 2), share: Math.floor(share / 2) });
  }

  get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  start(): void {
    this.timer = setInterval(() => void this.renew(), LEASE_MS / 3);
  }

  /** Ends what runs. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await Promise.all(this.running.values());
  }

  /** Begins to work on rows with something to do. Never rejects. */
  async look(): Promise<void> {
    this.isWoken = true;
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      while (this.isWoken && !this.isStopping) {
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
    const { most, share } = this.work;
    const besides = [...this.running.keys(), ...this.resting];
    const due = await this.work.due({ holder, besides, share, limit: 2 * most });
    const taken = due.filter((row) => this.takeSlot(row));
    if (taken.length === 0) return;
    const since = performance.now();
    const claimed = await this.claim(taken.map(({ id }) => id)).catch((error: Error) => error);
    const rows = new Map(claimed instanceof Error ? [] : claimed.map((row) => [row.id, row]));
    for (const slot of taken) {
      const row = rows.get(slot.id);
      if (row) this.running.set(row.id, this.serve(row, slot, new HeldLease(since, this.stopping.signal)));
      else this.releaseSlot(slot);
    }
    if (claimed instanceof Error) throw claimed;
  }

  private async claim(ids: string[]): Promise<Row[]> {
    const now = Date.now();
    const OR = [{ leaseUntil: null }, { leaseUntil: { lte: new Date(now) } }, { leaseHolder: this.holder }];
    const data = { leaseHolder: this.holder, leaseUntil: new Date(now + LEASE_MS) };
    return this.work.model.updateManyAndReturn({ where: { id: { in: ids }, active: true, OR }, data });
  }

  private takeSlot({ tenantId, failingSince }: DueRow): boolean {
    if (failingSince === null) return this.slots.tryTake(tenantId, 1);
    if (!this.slotsOfFailing.tryTake(tenantId, 1)) return false;
    if (this.slots.tryTake(tenantId, 1)) return true;
    this.slotsOfFailing.release(tenantId, 1);
    return false;
  }

  private releaseSlot({ tenantId, failingSince }: DueRow): void {
    this.slots.release(tenantId, 1);
    if (failingSince !== null) this.slotsOfFailing.release(tenantId, 1);
  }

  private async serve(row: Row, slot: DueRow, lease: HeldLease): Promise<void> {
    this.leases.set(row.id, lease);
    const isDone = await this.run(row, lease.signal);
    lease.end();
    this.leases.delete(row.id);
    this.running.delete(row.id);
    this.releaseSlot(slot);
    if (isDone) return void this.look();
    this.resting.add(row.id);
    setTimeout(() => this.resting.delete(row.id), REST_MS).unref();
  }

  /** Never rejects. */
  private async run(row: Row, signal: AbortSignal): Promise<boolean> {
    try {
      return await this.work.run(row, signal);
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
    const since = performance.now();
    try {
      const where = { id: { in: ids }, leaseHolder: this.holder };
      const data = { leaseUntil: new Date(Date.now() + LEASE_MS) };
      const held = new Set((await this.work.model.updateManyAndReturn({ where, data })).map(({ id }) => id));
      for (const id of ids) {
        if (held.has(id)) this.leases.get(id)?.lastsFrom(since);
        else this.leases.get(id)?.lose();
      }
    } catch (error) {
      this.logger.warn({ err: error }, `a lease of a ${this.work.what} could not be renewed`);
    }
  }
}
