// Room: Sends pushes between nodes over Redis, and finds the connections of recipients.
import { Module } from '@nestjs/common';
import { RateLimiter } from '../../../common/scheduling/rate-limiter.js';
import { Config } from '../../../common/config/config.js';
import { Logger } from '../../../common/logging/logger.js';
import { BusMetrics } from '../metrics/bus-metrics.js';
import { Bus } from './bus.js';
import { LocalBus } from './local-bus.js';

/** Loads the Redis client, a seventh of the code loaded at start, only if REDIS_URL is set. */
async function newBus({ redis }: Config, metrics: BusMetrics, logger: Logger, rateLimiter: RateLimiter): Promise<Bus> {
  if (!redis) return new LocalBus();
  const { RedisBus } = await import('./redis-bus.js');
  const bus = new RedisBus(redis, metrics, logger);
  rateLimiter.shareThrough(bus);
  return bus;
}

@Module({
  providers: [BusMetrics, { provide: Bus, inject: [Config, BusMetrics, Logger, RateLimiter], useFactory: newBus }],
  exports: [Bus],
})
export class BusModule {}
