import type { Logger } from '../logging/logger.js';
import type { Counter, Metrics } from '../metrics/metrics.js';

/** Counts exported items by outcome, and logs once when exports begin to fail and once when they work again. */
export class ExportReports {
  private readonly items: Counter<'signal' | 'outcome'>;
  private readonly failing = new Set<string>();
  private hasDropped = false;

  constructor(
    metrics: Metrics,
    private readonly logger: Logger,
  ) {
    this.items = metrics.counter({
      name: 'telemetry_items_total',
      help: 'Spans, and exports of all metrics, by outcome: exported, failed (the collector did not accept them), dropped (the queue was full)',
      labelNames: ['signal', 'outcome'],
    });
    for (const outcome of ['exported', 'failed', 'dropped']) this.items.inc({ signal: 'traces', outcome }, 0);
  }

  dropped(): void {
    this.items.inc({ signal: 'traces', outcome: 'dropped' });
    if (this.hasDropped) return;
    this.hasDropped = true;
    this.logger.warn('spans exceed what the collector accepts; some are dropped and counted in telemetry_items_total');
  }

  /** Records an export. `error` is undefined if the collector accepted it. */
  finished(signal: 'traces' | 'metrics', count: number, isTaken: boolean, error?: Error): void {
    this.items.inc({ signal, outcome: isTaken ? 'exported' : 'failed' }, count);
    if (isTaken === !this.failing.has(signal)) return;
    if (isTaken) {
      this.failing.delete(signal);
      this.logger.info({ signal }, 'the telemetry collector is up again');
    } else {
      this.failing.add(signal);
      this.logger.warn(
        { signal, err: error },
        'the telemetry collector is down, and telemetry is lost until it is up; requests continue',
      );
    }
  }
}
