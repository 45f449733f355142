import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { AppError } from '../base/app-error.js';
import { Logger } from '../logging/logger.js';
import { MemoryRateStore, type Rate, RateCounter, RedisRateStore, type SharedScripts, WINDOW_SECONDS } from './rate-counter.js';

/**
 * Grants each key RATE_LIMIT_PER_MINUTE points, in windows of a minute that begin with the key's first request. 0 disables the limit.
 * Nodes and workers that share a Redis count together; while Redis is unavailable, each counts by itself.
 */
@Injectable()
export class RateLimiter extends RateCounter {
  constructor(
    { rateLimitPerMinute }: Config,
    private readonly logger: Logger,
  ) {
    super(rateLimitPerMinute, new MemoryRateStore());
  }

  get isOn(): boolean {
    return this.limit > 0;
  }

  /** Switches to counters in Redis, shared by all nodes and workers. */
  shareThrough(scripts: SharedScripts): void {
    this.store = new RedisRateStore(scripts, this.store, this.logger);
  }

  /** Builds the 429 error for a request of this many points. */
  refusal(points: number, rate: Rate): AppError {
    const retryAfterSeconds = secondsOf(rate);
    const shortage = points === 1 ? '' : `this operation costs ${points} and ${rate.remainingPoints} are left; `;
    const advice =
      points > this.limit
        ? 'ask for less: each root field costs 1 point, and each 100 fields that could be resolved 1 more'
        : `try again in ${retryAfterSeconds} s`;
    return new AppError('RATE_LIMITED', `A key may spend ${this.limit} points a minute; ${shortage}${advice}`, {
      headers: { 'retry-after': String(retryAfterSeconds) },
    });
  }

  /** Returns the headers of draft-ietf-httpapi-ratelimit-headers. */
  headersOf(rate: Rate): Record<string, string> {
    return {
      'ratelimit-policy': `"key";q=${this.limit};w=${WINDOW_SECONDS}`,
      ratelimit: `"key";r=${rate.remainingPoints};t=${secondsOf(rate)}`,
    };
  }
}

function secondsOf({ resetMs }: Rate): number {
  return Math.max(1, Math.ceil(resetMs / 1000));
}
