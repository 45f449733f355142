import { Injectable } from '@nestjs/common';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Config } from '../config/config.js';
import { AppError } from '../errors/app-error.js';

/** RATE_LIMIT_PER_MINUTE requests per key and node; 0 switches it off. */
@Injectable()
export class RateLimiter {
  private readonly limiter?: RateLimiterMemory;

  constructor(private readonly config: Config) {
    if (config.rateLimitPerMinute > 0) this.limiter = new RateLimiterMemory({ points: config.rateLimitPerMinute, duration: 60 });
  }

  /** @throws RATE_LIMITED with Retry-After, in seconds. */
  async count(keyId: string): Promise<void> {
    if (!this.limiter) return;
    try {
      await this.limiter.consume(keyId);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const retryAfterSeconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
      throw new AppError(
        'RATE_LIMITED',
        `A key may make ${this.config.rateLimitPerMinute} requests a minute; try again in ${retryAfterSeconds} s`,
        { headers: { 'retry-after': String(retryAfterSeconds) } },
      );
    }
  }
}
