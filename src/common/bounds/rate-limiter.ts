import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { Config } from '../config/config.js';
import { AppError } from '../errors/app-error.js';
import { Logger } from '../logging/logger.js';
import { LocalCounter, type SharedScripts, sharedCounter, WINDOW_SECONDS } from './rate-counters.js';

const MAX_SPENT_KEYS = 10_000;

/** Points that a key has left. */
export interface Rate {
  isRefused: boolean;
  remainingPoints: number;
  resetMs: number;
}

/**
 * Allows each key RATE_LIMIT_PER_MINUTE points, in windows of a minute that begin with the key's first request. 0 switches
 * the limit off. Nodes and workers that share a Redis count together; while Redis is unavailable, each counts by itself.
 */
@Injectable()
export class RateLimiter {
  private readonly points: number;
  private readonly local: LocalCounter;
  private counter: LocalCounter | RateLimiterRedis;
  /** Ends of the windows of keys without points, so that these are refused without asking Redis. */
  private readonly spentUntilMs = new LRUCache<string, number>({ max: MAX_SPENT_KEYS });

  constructor(
    { rateLimitPerMinute }: Config,
    private readonly logger: Logger,
  ) {
    this.points = rateLimitPerMinute;
    this.local = new LocalCounter({ points: rateLimitPerMinute, duration: WINDOW_SECONDS });
    this.counter = this.local;
  }

  get isOn(): boolean {
    return this.points > 0;
  }

  /** Counts for all nodes and workers from now on. */
  shareThrough(scripts: SharedScripts): void {
    if (!this.isOn || this.counter instanceof RateLimiterRedis) return;
    this.counter = sharedCounter(scripts, this.local, this.logger);
  }

  /** Returns the rate of a key known to have no points left. Looks in memory only, and counts nothing. */
  spent(keyId: string): Rate | undefined {
    const resetMs = (this.spentUntilMs.get(keyId) ?? 0) - Date.now();
    return resetMs > 0 ? { isRefused: true, remainingPoints: 0, resetMs } : undefined;
  }

  /** Takes points from a key. A refused request costs one point, whatever it would have cost. */
  async take(keyId: string, points: number): Promise<Rate> {
    const spent = this.spent(keyId);
    if (spent) return spent;
    const rate = await this.consume(keyId, points);
    if (rate.remainingPoints === 0) this.spentUntilMs.set(keyId, Date.now() + rate.resetMs);
    return rate;
  }

  private async consume(keyId: string, points: number): Promise<Rate> {
    try {
      const { remainingPoints, msBeforeNext } = await this.counter.consume(keyId, points);
      return { isRefused: false, remainingPoints, resetMs: msBeforeNext };
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const consumed = refusal.consumedPoints - points + 1;
      return { isRefused: true, remainingPoints: Math.max(0, this.points - consumed), resetMs: refusal.msBeforeNext };
    }
  }

  /** Builds the 429 error for a request that would have cost this many points. */
  refusal(points: number, rate: Rate): AppError {
    const retryAfterSeconds = secondsOf(rate);
    const shortage = points === 1 ? '' : `this operation costs ${points} and ${rate.remainingPoints} are left; `;
    const advice =
      points > this.points
        ? 'ask for less: each root field costs 1 point, and each 100 fields that could be resolved 1 more'
        : `try again in ${retryAfterSeconds} s`;
    return new AppError('RATE_LIMITED', `A key may spend ${this.points} points a minute; ${shortage}${advice}`, {
      headers: { 'retry-after': String(retryAfterSeconds) },
    });
  }

  /** Returns the headers of draft-ietf-httpapi-ratelimit-headers. */
  headersOf(rate: Rate): Record<string, string> {
    return {
      'ratelimit-policy': `"key";q=${this.points};w=${WINDOW_SECONDS}`,
      ratelimit: `"key";r=${rate.remainingPoints};t=${secondsOf(rate)}`,
    };
  }
}

function secondsOf({ resetMs }: Rate): number {
  return Math.max(1, Math.ceil(resetMs / 1000));
}
