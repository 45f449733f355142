// Room: Readiness and `/metrics`.
import { Global, Module } from '@nestjs/common';
import { DiskWatch } from './disk-watch.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { NodeMetrics } from './node-metrics.js';
import { Readiness } from './readiness.js';

/** Tells the operator whether the node is alive and can work, and shows its metrics and its disks. No route needs a key. */
@Global()
@Module({
  controllers: [HealthController, MetricsController],
  providers: [Readiness, DiskWatch, NodeMetrics],
  exports: [Readiness, NodeMetrics],
})
export class HealthModule {}
