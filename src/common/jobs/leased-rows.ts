import { randomUUID } from 'node:crypto';
import type { Sql } from '../database/sql/sql.js';
import type { Logger } from '../logging/logger.js';
import { TenantScheduler } from '../scheduling/tenant-scheduler.js';
import type { DueRow, DueWanted } from './due-rows.js';

const LEASE_MS = 15_000;
/** Time before the end of its lease at which a node stops working on a row: clocks of nodes differ, and running work must end. */
const MARGIN_MS = 2_000;
/** Minimum pause of a row that could not be served, regardless of wake-ups. */
const REST_MS = 600;

/** Row that one node works on while it holds the lease. */
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

/** Model of a table with leases. */
interface LeasedModel<Row> {
  updateMany(args: { where: { id: string; leaseHolder: string }; data: Partial<Lease> }): PromiseLike<unknown>;
  updateManyAndReturn(args: { where: Claim | Held; data: Partial<Lease> }): PromiseLike<Row[]>;
}

export interface Work<Row> {
  /** Name of a row in log lines, such as `webhook`. */
  what: string;
  /** Maximum number of rows that this node works on concurrently, in total and of one tenant. Failing rows get half of both. */
  most: number;
  share: number;
  model: LeasedModel<Row>;
  /** Returns rows with work to do that are free or leased to this node: healthy ones first, tenants in round-robin order. */
  due(wanted: DueWanted): Promise<DueRow[]>;
  /**
   * Works on a row. Returns false if the poll must try again, since the obstacle may last. The signal is aborted when the node stops
   * or the lease ends, after which another node may work on the row.
   */
  run(row: Row, signal: AbortSignal): Promise<boolean>;
  /** Condition that holds whenever a row may be due. */
  mayBeDue(): Sql;
}

/** Lease of a row as known to this node. Ends by itself unless a renewal succeeds. */
class HeldLease {
  private readonly lost = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  readonly signal: AbortSignal;

  /** @param since request time of the lease, on the monotonic clock */
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

  /** Stops the timer of the lease. */
  end(): void {
    clearTimeout(this.timer);
  }
}

/**
 * Works on rows of a table, on every node. A lease assigns a row to one node; leases of a dead node end within 15 s. Polls for rows
 * every second, and at once when woken.
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

  /** Stops all running work. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await Promise.all(this.running.values());
  }

  /** Starts work on due rows. Never rejects. */
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
    const excluded = [...this.running.keys(), ...this.resting];
    const due = await this.work.due({ holder, excluded, share, limit: 2 * most });
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

  /** Works on one row. Never rejects. */
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
    await Promise.resolve(this.work.model.updateMany({ where, data })).catch(() => undefined); // the lease expires by itself
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
