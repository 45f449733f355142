import { Injectable } from '@nestjs/common';
import { type Counter, type Gauge, Metrics } from '../metrics/metrics.js';

/** Metrics of background work. Alerts compare the newest success of all nodes, since each job runs on one of them. */
@Injectable()
export class JobMetrics {
  private readonly runs: Counter<'work' | 'outcome'>;
  private readonly lastSuccess: Gauge<'work'>;
  private readonly interval: Gauge<'work'>;
  private readonly leases: Gauge<'work'>;

  constructor(metrics: Metrics) {
    this.runs = metrics.counter({
      name: 'background_work_runs_total',
      help: 'Runs of background work in this process, by outcome: ok, failed',
      labelNames: ['work', 'outcome'],
    });
    this.lastSuccess = metrics.gauge({
      name: 'background_work_last_success_timestamp_seconds',
      aggregator: 'max',
      help: 'Time at which background work last succeeded in this process',
      labelNames: ['work'],
    });
    this.interval = metrics.gauge({
      name: 'background_work_interval_seconds',
      aggregator: 'max',
      help: 'Pause between two runs of background work',
      labelNames: ['work'],
    });
    this.leases = metrics.gauge({
      name: 'background_work_lease',
      help: '1 in the process that runs this background work, else 0; 0 in all processes while nothing is due',
      labelNames: ['work'],
    });
  }

  added(work: string, everyMs: number): void {
    this.interval.set({ work }, everyMs / 1_000);
    for (const outcome of ['ok', 'failed']) this.runs.inc({ work, outcome }, 0);
  }

  held(work: string, isOurs: boolean): void {
    this.leases.set({ work }, isOurs ? 1 : 0);
  }

  succeeded(work: string): void {
    this.runs.inc({ work, outcome: 'ok' });
    this.lastSuccess.set({ work }, Date.now() / 1_000);
  }

  /** Records that nothing was due and the lease is free. */
  idle(work: string): void {
    this.held(work, false);
    this.lastSuccess.set({ work }, Date.now() / 1_000);
  }

  failed(work: string): void {
    this.runs.inc({ work, outcome: 'failed' });
  }
}
