import cluster from 'node:cluster';
import { Injectable } from '@nestjs/common';
import { type Figures, Metrics, type ReadFigures, together } from '../metrics/metrics.js';
import { FIGURES, FIGURES_OF_ALL, request, respond } from '../workers/ipc.js';

/** Maximum wait of a worker for the primary, which waits 2 s for each worker. */
const ANSWER_MS = 3_000;
/** Maximum readings per second. One takes about 10 ms of processor time, and requires no key. */
const MAX_READINGS = 5;
const SECOND_MS = 1_000;

/** Metrics of one worker. */
interface Share {
  worker: number;
  figures: Figures;
}

/** Reads the metrics of all workers of this node as one. Skips a worker that does not answer. */
@Injectable()
export class NodeMetrics {
  private begun: number[] = [];
  private last: Promise<string> | undefined;
  private isGathering = false;
  private shares: Promise<Share[]> | undefined;

  constructor(private readonly metrics: Metrics) {
    if (!cluster.worker) return;
    metrics.gauge({ name: 'workers', help: 'Worker processes included in these metrics' }).set(1);
    respond(cluster.worker, FIGURES, () => metrics.figures());
  }

  /**
   * Shares one reading among concurrent callers. After five readings within one second, further callers in that second get the last
   * one.
   */
  read(): Promise<string> {
    const now = performance.now();
    this.begun = this.begun.filter((at) => now - at < SECOND_MS);
    if (this.last && (this.isGathering || this.begun.length >= MAX_READINGS)) return this.last;
    this.begun.push(now);
    this.isGathering = true;
    this.last = this.gather().finally(() => (this.isGathering = false));
    return this.last;
  }

  /** Reads the metrics as objects; undefined in all workers but the first, so that an export contains each metric once. */
  async figures(): Promise<ReadFigures | undefined> {
    const { worker } = cluster;
    if (!worker) return (await this.metrics.figures()) as ReadFigures;
    const shares = await this.ofWorkers();
    if (shares.some((share) => share.worker < worker.id)) return undefined;
    return (await together(shares.map(({ figures }) => figures)).getMetricsAsJSON()) as ReadFigures;
  }

  private async gather(): Promise<string> {
    if (!cluster.worker) return this.metrics.read();
    return together((await this.ofWorkers()).map(({ figures }) => figures)).metrics();
  }

  private ofWorkers(): Promise<Share[]> {
    return (this.shares ??= this.askPrimary().finally(() => (this.shares = undefined)));
  }

  /** Returns only the metrics of this worker if the primary does not answer. */
  private async askPrimary(): Promise<Share[]> {
    const worker = cluster.worker!;
    const shares = (await request(worker, FIGURES_OF_ALL, ANSWER_MS)) as Share[] | undefined;
    return shares?.length ? shares : [{ worker: worker.id, figures: await this.metrics.figures() }];
  }
}
