import { Injectable } from '@nestjs/common';
import type { RetentionPeriods } from '../config/retention-periods.js';

export interface RemovalStep {
  /** How much was removed. */
  removed: number;
  /** Whether there may be more to remove. */
  more: boolean;
}

/** One kind of what tenants keep for a period. */
export interface RetainedKind {
  kind: keyof RetentionPeriods;
  /** Removes up to `limit` of what a tenant keeps since before a time. Can be repeated after a crash. */
  remove(tenantId: string, olderThan: Date, bounds: { limit: number }): Promise<RemovalStep>;
}

/** Everything that is kept for a period, as the services add it. */
@Injectable()
export class RetainedData {
  private readonly list: RetainedKind[] = [];

  get kinds(): readonly RetainedKind[] {
    return this.list;
  }

  /** Adds a kind. A service calls it while it is constructed. */
  add(kind: RetainedKind): void {
    this.list.push(kind);
  }
}
