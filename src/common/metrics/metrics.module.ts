// Room: Registry of the metrics at `/metrics`.
import { Global, Module } from '@nestjs/common';
import { Metrics } from './metrics.js';

/** Provides the metrics of the node for Prometheus. They contain no tenant, name or key. */
@Global()
@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
