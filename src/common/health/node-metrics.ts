import cluster from 'node:cluster';
import { Injectable } from '@nestjs/common';
import { type Figures, Metrics, type ReadFigures, together } from '../metrics/metrics.js';
import { FIGURES, FIGURES_OF_ALL, request, respond } from '../workers/ipc.js';

/** How long a worker waits for the primary, which waits for each worker for 2 s. */
const ANSWER_MS = 3_000;
/** Readings that are gathered in a second; one takes about 10 ms of processor time, and needs no key. */
const MAX_READINGS = 5;
const SECOND_MS = 1_000;

/** The figures of one worker. */
interface Share {
  worker: number;
  figures: Figures;
}

/** Reads the metrics of all workers of this node as one. A worker that does not answer is left out. */
@Injectable()
export class NodeMetrics {
  private begun: number[] = [];
  private last: Promise<string> | undefined;
  private isGathering = false;
  private shares: Promise<Share[]> | undefined;

  constructor(private readonly metrics: Metrics) {
    if (!cluster.worker) return;
    metrics.gauge({ name: 'workers', help: 'Worker processes whose figures are in these metrics' }).set(1);
    respond(cluster.worker, FIGURES, () => metrics.figures());
  }

  /**
   * Shares one reading among concurrent callers. After five readings in one second, all further callers in that second get the
   * last.
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

  /** Reads the same as objects; undefined in all workers but the first, so that an export has each figure once. */
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

  /** Returns the figures of this worker alone while the primary does not answer. */
  private async askPrimary(): Promise<Share[]> {
    const worker = cluster.worker!;
    const shares = (await request(worker, FIGURES_OF_ALL, ANSWER_MS)) as Share[] | undefined;
    return shares?.length ? shares : [{ worker: worker.id, figures: await this.metrics.figures() }];
  }
}
