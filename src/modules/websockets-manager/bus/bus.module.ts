import { Module } from '@nestjs/common';
import { RateLimiter } from '../../../common/auth/rate-limiter.js';
import { Config } from '../../../common/config/config.js';
import { Log } from '../../../common/logging/log.js';
import { Metrics } from '../../../common/metrics/metrics.js';
import { Bus } from './bus.js';
import { LocalBus } from './local-bus.js';

/** Redis where REDIS_URL names one, else a node that is alone; its client is a seventh of all that a start would load. */
async function newBus({ redis }: Config, metrics: Metrics, log: Log, rateLimiter: RateLimiter): Promise<Bus> {
  if (!redis) return new LocalBus();
  const { RedisBus } = await import('./redis-bus.js');
  const bus = new RedisBus(redis, metrics, log);
  rateLimiter.shareThrough(bus);
  return bus;
}

@Module({
  providers: [{ provide: Bus, inject: [Config, Metrics, Log, RateLimiter], useFactory: newBus }],
  exports: [Bus],
})
export class BusModule {}
