import { Injectable } from '@nestjs/common';
import { type Figures, Metrics, type ReadFigures } from '../metrics/metrics.js';
import { Siblings } from '../processes/siblings.js';

const ANSWER_MS = 2_000;
/** Readings that are gathered in a second; one takes about 10 ms of processor time, and needs no key. */
const MAX_READINGS = 5;
const SECOND_MS = 1_000;

/** Reads the metrics of all workers of this node as one. A worker that does not answer is left out. */
@Injectable()
export class NodeMetrics {
  private begun: number[] = [];
  private last: Promise<string> | undefined;
  private isGathering = false;

  constructor(
    private readonly metrics: Metrics,
    private readonly siblings: Siblings,
  ) {
    if (!siblings.exist) return;
    metrics.gauge({ name: 'workers', help: 'Worker processes whose figures are in these metrics' }).set(1);
    siblings.on('metrics', () => metrics.figures());
  }

  /** Shares one gathering among all who ask meanwhile, and the last of five among all others who ask within their second. */
  read(): Promise<string> {
    const now = performance.now();
    this.begun = this.begun.filter((at) => now - at < SECOND_MS);
    if (this.last && (this.isGathering || this.begun.length >= MAX_READINGS)) return this.last;
    this.begun.push(now);
    this.isGathering = true;
    this.last = this.gather().finally(() => (this.isGathering = false));
    return this.last;
  }

  private async gather(): Promise<string> {
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
