// Room: Registry of the metrics at `/metrics`.
import { Global, Module } from '@nestjs/common';
import { Metrics } from './metrics.js';

/** Counts the work of the node, for Prometheus to collect. Shows no tenant, no name and no key. */
@Global()
@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
