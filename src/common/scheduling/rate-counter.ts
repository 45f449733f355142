import { LRUCache } from 'lru-cache';
import type { Logger } from '../logging/logger.js';
import { upToEntries } from '../base/amounts.js';
import { inTime } from '../base/in-time.js';

/** Length of the window of a key. */
export const WINDOW_SECONDS = 60;
/** Maximum number of keys counted in memory. Beyond that, the key idle for the longest time restarts at 0. */
const MAX_KEYS = 100_000;
/** Maximum wait for the count in Redis. Also the pause before the next attempt after a failure. */
const REDIS_TIMEOUT_MS = 100;
const REDIS_PAUSE_MS = 1_000;
const MAX_SPENT_KEYS = 10_000;

/** Remaining points of a key. */
export interface Rate {
  isRefused: boolean;
  remainingPoints: number;
  resetMs: number;
}

/** Counts points of keys against a limit, in a store. */
export class RateCounter {
  /** End times of the windows of keys without points left. These keys are refused without querying the store. */
  private readonly spentUntilMs = new LRUCache<string, number>(upToEntries(MAX_SPENT_KEYS));

  constructor(
    protected readonly limit: number,
    protected store: RateStore,
  ) {}

  /** Returns the rate of a key known to have no points left. Reads memory only, and counts nothing. */
  spent(key: string): Rate | undefined {
    const resetMs = (this.spentUntilMs.get(key) ?? 0) - Date.now();
    return resetMs > 0 ? { isRefused: true, remainingPoints: 0, resetMs } : undefined;
  }

  /** Charges points to a key. A refused request costs one point. */
  async take(key: string, points: number): Promise<Rate> {
    const spent = this.spent(key);
    if (spent) return spent;
    const { counted, resetMs } = await this.store.add(key, points, this.limit);
    const isRefused = counted > this.limit;
    const remainingPoints = Math.max(0, this.limit - (isRefused ? counted - points + 1 : counted));
    if (remainingPoints === 0) this.spentUntilMs.set(key, Date.now() + resetMs);
    return { isRefused, remainingPoints, resetMs };
  }
}

interface Count {
  /** Points in the window, including all points of this call even if only one was added. */
  counted: number;
  /** Time until the window ends. */
  resetMs: number;
}

/** Store of the points of each key, in windows that begin with the key's first request. */
interface RateStore {
  /** Adds points to the window of a key, or one point if they would exceed the limit. */
  add(key: string, points: number, limit: number): Promise<Count>;
}

/** Counts the requests to this process. */
export class MemoryRateStore implements RateStore {
  private readonly windows = new LRUCache<string, { points: number; endsAtMs: number }>(upToEntries(MAX_KEYS));

  add(key: string, points: number, limit: number): Promise<Count> {
    const now = Date.now();
    let window = this.windows.get(key);
    if (!window || window.endsAtMs <= now) {
      window = { points: 0, endsAtMs: now + WINDOW_SECONDS * 1000 };
      this.windows.set(key, window);
    }
    const counted = window.points + points;
    window.points = counted > limit ? window.points + 1 : counted;
    return Promise.resolve({ counted, resetMs: window.endsAtMs - now });
  }
}

/** Runs a Lua script in the Redis that all nodes share. */
export interface SharedScripts {
  evaluate(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** `RateStore.add` as one script: KEYS[1] is the key; ARGV are the points, the seconds of a window and the limit. */
const ADD = `
redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
local counted = redis.call('incrby', KEYS[1], ARGV[1])
if counted > tonumber(ARGV[3]) then redis.call('decrby', KEYS[1], ARGV[1] - 1) end
return {counted, redis.call('pttl', KEYS[1])}`;

/** Counts the requests to all nodes. While Redis does not respond in time, it uses another store, and logs that once. */
export class RedisRateStore implements RateStore {
  private pausedUntilMs = 0;
  private isShared = true;

  constructor(
    private readonly scripts: SharedScripts,
    private readonly fallback: RateStore,
    private readonly logger: Logger,
  ) {}

  async add(key: string, points: number, limit: number): Promise<Count> {
    if (performance.now() < this.pausedUntilMs) return this.fallback.add(key, points, limit);
    try {
      const options = {
        keys: [`platform-services:rate:${key}`],
        arguments: [String(points), String(WINDOW_SECONDS), String(limit)],
      };
      const result = await inTime(this.scripts.evaluate(ADD, options), REDIS_TIMEOUT_MS, 'no count');
      if (!this.isShared) this.logger.info('requests are counted for all nodes together again');
      this.isShared = true;
      const [counted, resetMs] = result as [number, number];
      return { counted, resetMs };
    } catch (error) {
      this.pausedUntilMs = performance.now() + REDIS_PAUSE_MS;
      if (this.isShared) this.logger.warn({ err: error }, 'Redis does not respond in time; this node counts requests by itself');
      this.isShared = false;
      return this.fallback.add(key, points, limit);
    }
  }
}
