import { Injectable } from '@nestjs/common';
import { type Figures, Metrics, type ReadFigures } from '../metrics/metrics.js';
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
    return this.siblings.exist ? this.metrics.readAll(await this.ofOthers()) : this.metrics.read();
  }

  /** Reads the same as objects; undefined in all workers but the first, so that an export has each figure once. */
  async figures(): Promise<ReadFigures | undefined> {
    const { exist, id, others } = this.siblings;
    if (exist && Math.min(id, ...others) !== id) return undefined;
    return this.metrics.figuresOfAll(exist ? await this.ofOthers() : []);
  }

  private async ofOthers(): Promise<Figures[]> {
    const asked = await Promise.allSettled(
      this.siblings.others.map((id) => this.siblings.ask(id, 'metrics', undefined, ANSWER_MS)),
    );
    return asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value as Figures] : []));
  }
}
