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
      help: 'Spans, and exports of all metrics, by outcome: exported, failed (the collector did not take them), dropped (the queue was full)',
      labelNames: ['signal', 'outcome'],
    });
    for (const outcome of ['exported', 'failed', 'dropped']) this.items.inc({ signal: 'traces', outcome }, 0);
  }

  dropped(): void {
    this.items.inc({ signal: 'traces', outcome: 'dropped' });
    if (this.hasDropped) return;
    this.hasDropped = true;
    this.logger.warn('more spans come than the collector takes; some are dropped, as telemetry_items_total counts');
  }

  /** `error`: left out where the collector took them. */
  finished(signal: 'traces' | 'metrics', count: number, isTaken: boolean, error?: Error): void {
    this.items.inc({ signal, outcome: isTaken ? 'exported' : 'failed' }, count);
    if (isTaken === !this.failing.has(signal)) return;
    if (isTaken) {
      this.failing.delete(signal);
      this.logger.info({ signal }, 'the collector of telemetry is back');
    } else {
      this.failing.add(signal);
      this.logger.warn({ signal, err: error }, 'the collector takes no telemetry, which is lost until it does; requests continue');
    }
  }
}
