import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { upToEntries } from '../base/amounts.js';
import { sharedByKey } from '../scheduling/concurrency.js';

/** Lifetime of a count, which includes additions of this node. Additions of other nodes go unnoticed meanwhile. */
const COUNT_TTL_MS = 1_000;
const MAX_KEYS = 10_000;
/** Maximum number of retries of an addition that exceeds the limit only because of other additions in progress. */
const MAX_LOOKS = 5;
const PAUSE_MS = 20;

/** Usage of one key of a quota, such as a tenant. */
interface Tally {
  counted: number;
  countedAtMs: number;
  /** Sum of the additions in progress. */
  inProgress: number;
  /** Sum of the additions since the last count began, which may not include them. */
  added: number;
}

/** Amount to add, with its limit. */
interface Addition {
  limit: number;
  amount: number;
}

interface Reserved {
  tally: Tally;
  allowed: number;
  /** Refusal of the remaining amount, if not everything is allowed. */
  refusal?: Error;
}

interface Measure {
  /** Returns the currently stored usage of a key. */
  count: (key: string) => Promise<number>;
  refusal: (limit: number, used: number, amount: number) => Error;
}

/**
 * Enforces the limit of a key. On one node the limit is exact even with concurrent additions, since one in progress counts as stored.
 * Other nodes exceed it by at most the additions that they admit within a second.
 */
export class Quota {
  private readonly tallies = new LRUCache<string, Tally>(upToEntries(MAX_KEYS));
  /** Starts a new count; all waiting callers share one. */
  private readonly countAnew = sharedByKey((key) => this.count(key));

  constructor(private readonly measure: Measure) {}

  /** Runs `add` unless its amount would exceed the limit. An amount of 0 or less is never refused. */
  within<T>(key: string, wanted: Addition, add: () => Promise<T>): Promise<T> {
    return this.upTo(key, { least: wanted.amount, ...wanted }, (_, refusal) => {
      if (refusal) throw refusal;
      return add();
    });
  }

  /**
   * Runs `add` with the amount that the limit allows: all of it, a part of at least `least`, or 0. Unless it is all, `add` also gets
   * the refusal of the remaining amount.
   */
  async upTo<T>(
    key: string,
    wanted: Addition & { least: number },
    add: (allowed: number, refusal?: Error) => Promise<T>,
  ): Promise<T> {
    const { limit, amount } = wanted;
    if (limit === Infinity || amount <= 0) return add(amount);
    const { tally, allowed, refusal } = await this.reserve(key, wanted);
    try {
      const result = await add(allowed, refusal);
      tally.added += allowed;
      return result;
    } finally {
      tally.inProgress -= allowed;
    }
  }

  private tallyOf(key: string): Tally {
    let tally = this.tallies.get(key);
    if (!tally) this.tallies.set(key, (tally = { counted: 0, countedAtMs: -Infinity, inProgress: 0, added: 0 }));
    return tally;
  }

  /** Waits until the addition fits the limit. No `await` may come between the check and the addition. */
  private async reserve(key: string, { limit, amount, least }: Addition & { least: number }): Promise<Reserved> {
    for (let look = 0; ; look++) {
      if (look > 0 || performance.now() - this.tallyOf(key).countedAtMs > COUNT_TTL_MS) await this.countAnew(key);
      const tally = this.tallyOf(key);
      const { counted, inProgress, added } = tally;
      const used = counted + inProgress + added;
      const isLast = look > 0 && (look === MAX_LOOKS || inProgress + added === 0);
      if (used + amount <= limit || isLast) {
        const room = Math.min(amount, limit - used);
        const allowed = room >= least ? Math.max(0, room) : 0;
        tally.inProgress += allowed;
        return { tally, allowed, ...(allowed < amount && { refusal: this.measure.refusal(limit, used, amount) }) };
      }
      if (look > 0) await setTimeout(PAUSE_MS);
    }
  }

  private async count(key: string): Promise<void> {
    const tally = this.tallyOf(key);
    const countedAtMs = performance.now();
    const { added } = tally;
    tally.counted = await this.measure.count(key);
    tally.countedAtMs = countedAtMs;
    tally.added -= added;
  }
}
