import { Module } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { Log } from '../../../common/logging/log.js';
import { Metrics } from '../../../common/metrics/metrics.js';
import { Bus } from './bus.js';
import { LocalBus } from './local-bus.js';
import { RedisBus } from './redis-bus.js';

/** Redis where REDIS_URL names one, else a node that is alone. */
@Module({
  providers: [
    {
      provide: Bus,
      inject: [Config, Metrics, Log],
      useFactory: (config: Config, metrics: Metrics, log: Log): Bus =>
        config.redis ? new RedisBus(config.redis, metrics, log) : new LocalBus(),
    },
  ],
  exports: [Bus],
})
export class BusModule {}
