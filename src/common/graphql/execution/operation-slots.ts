import { Injectable } from '@nestjs/common';
import type { OperationBudget } from '../../scheduling/operation-budget.js';
import { TenantSemaphore } from '../../scheduling/tenant-semaphore.js';
import { MAX_COST } from '../documents/query-limits.js';

/** Cost below which an operation is small, such as an object, a change or a short page. */
const LARGE_COST = 1_000;

/**
 * Runs large operations of a tenant one after another, up to the cost of the largest allowed one. Hundreds at once would fill every
 * turn of the event loop and every database connection, and delay other tenants. Small operations never wait here.
 */
@Injectable()
export class OperationSlots {
  private readonly slots = new TenantSemaphore({
    capacity: Infinity,
    share: MAX_COST,
    maxWaitMs: 30_000,
    maxWaitingOfTenant: Infinity,
    busy: 'Too many large operations of the tenant are running or waiting',
  });

  /** Runs an operation once it has a slot, or once it is over: then each of its fields fails. */
  async run<T>(cost: number, budget: Pick<OperationBudget, 'tenantId' | 'onOver'>, execute: () => Promise<T>): Promise<T> {
    if (cost < LARGE_COST) return execute();
    const { tenantId } = budget;
    if (!(await this.hasSlot(cost, budget))) return execute();
    try {
      return await execute();
    } finally {
      this.slots.release(tenantId, cost);
    }
  }

  /** Waits for a slot. Resolves to false if the operation ends first, by its time limit or because its caller left. */
  private async hasSlot(cost: number, budget: Pick<OperationBudget, 'tenantId' | 'onOver'>): Promise<boolean> {
    if (this.slots.tryTake(budget.tenantId, cost)) return true;
    const over = new AbortController();
    const forget = budget.onOver(() => over.abort());
    try {
      await this.slots.take(budget.tenantId, cost, { signal: over.signal, isPatient: () => true });
      return true;
    } catch (error) {
      if (over.signal.aborted) return false;
      throw error;
    } finally {
      forget();
    }
  }
}
