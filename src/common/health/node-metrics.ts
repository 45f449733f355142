import { Injectable } from '@nestjs/common';
import { type Figures, Metrics } from '../metrics/metrics.js';
import { Siblings } from '../processes/siblings.js';

const ANSWER_MS = 2_000;

/** Reads the metrics of all workers of this node as one. A worker that does not answer is left out. */
@Injectable()
export class NodeMetrics {
  constructor(
    private readonly metrics: Metrics,
    private readonly siblings: Siblings,
  ) {
    if (!siblings.exist) return;
    metrics.gauge({ name: 'workers', help: 'Worker processes whose figures are in these metrics' }).set(1);
    siblings.on('metrics', () => metrics.figures());
  }

  async read(): Promise<string> {
    if (!this.siblings.exist) return this.metrics.read();
    const asked = await Promise.allSettled(
      this.siblings.others.map((id) => this.siblings.ask(id, 'metrics', undefined, ANSWER_MS)),
    );
    return this.metrics.readAll(asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value as Figures] : [])));
  }
}
