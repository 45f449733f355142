// Room: Readiness and `/metrics`.
import { Global, Module } from '@nestjs/common';
import { DiskWatch } from './disk-watch.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { NodeMetrics } from './node-metrics.js';
import { Readiness } from './readiness.js';

/** Reports health, metrics and disks of the node to the operator. No route requires a key. */
@Global()
@Module({
  controllers: [HealthController, MetricsController],
  providers: [Readiness, DiskWatch, NodeMetrics],
  exports: [Readiness, NodeMetrics],
})
export class HealthModule {}
