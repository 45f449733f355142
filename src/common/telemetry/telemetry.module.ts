// Room: Export of traces and metrics to a collector.
import { hostname } from 'node:os';
import { Injectable, Module, type OnApplicationBootstrap, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Config } from '../config/config.js';
import { NodeMetrics } from '../health/node-metrics.js';
import { Logger } from '../logging/logger.js';
import { Metrics } from '../metrics/metrics.js';
import { ExportReports } from './export-reports.js';
import type { OtlpMetrics } from './otlp-metrics.js';
import type { OtlpTraces } from './otlp-traces.js';

/** Maximum wait of a stopping node for the collector. A stop takes at most 10 s. */
const LAST_EXPORT_MS = 2_000;

/** Loads OpenTelemetry's SDK only if a collector is set. Without one, it costs neither time nor memory. */
@Injectable()
class Telemetry implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly settings: Config['telemetry'];
  private readonly reports: ExportReports | undefined;
  private traces: OtlpTraces | undefined;
  private exported: OtlpMetrics | undefined;

  constructor(
    { telemetry, port }: Config,
    metrics: Metrics,
    logger: Logger,
    private readonly figures: NodeMetrics,
  ) {
    // The workers of a node are one instance, as in /metrics.
    const instance = { 'service.instance.id': `${hostname()}:${port}` };
    this.settings = telemetry && { ...telemetry, resource: { ...instance, ...telemetry.resource } };
    this.reports = telemetry && new ExportReports(metrics, logger);
  }

  async onModuleInit(): Promise<void> {
    const { settings, reports } = this;
    if (!settings?.tracesUrl || !reports) return;
    const { OtlpTraces } = await import('./otlp-traces.js');
    this.traces = new OtlpTraces(settings, reports);
  }

  async onApplicationBootstrap(): Promise<void> {
    const { settings, reports } = this;
    if (!settings?.metricsUrl || !reports) return;
    const { OtlpMetrics } = await import('./otlp-metrics.js');
    this.exported = new OtlpMetrics(settings, reports, () => this.figures.figures());
  }

  /** Exports the queue within the time that a stop allows. ExportReports has logged a failure. */
  async onApplicationShutdown(): Promise<void> {
    let limit: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => (limit = setTimeout(resolve, LAST_EXPORT_MS)));
    const exports = [this.traces?.shutdown(), this.exported?.shutdown()];
    await Promise.race([Promise.allSettled(exports), patience]);
    clearTimeout(limit);
  }
}

/** Exports traces and metrics to an OpenTelemetry collector. Requests never wait for the collector; a stop does. */
@Module({ providers: [Telemetry] })
export class TelemetryModule {}
