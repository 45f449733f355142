import { Injectable } from '@nestjs/common';
import type { AnswerBudget } from './operation-budget.js';
import { MemoryBudget } from './memory-budget.js';
import { type Counts, slotsFor, type TenantSemaphore } from './tenant-semaphore.js';
import { Metrics } from '../metrics/metrics.js';
import { Run, type Work } from './heavy-run.js';
import { Streams } from './streams.js';

/** Maximum number of concurrent runs of heavy fields, of one tenant and in total. One event loop does the work of all. */
const RUNS_PER_TENANT = 2;
const RUNS = 8;

interface Asked {
  /** Identifies the field and its arguments. Callers with the same question can share one answer. */
  question: string;
  memoryBytes: number;
}

/**
 * Runs the heavy fields of this process: verification, proofs, counts. A run has a slot and reserved memory. It alternates with other
 * tenants, and stops at its next slice once no caller waits for it. Callers of one tenant with the same question share a run if they
 * asked before it began, so each answer includes everything stored before the question. While a run is active, all later callers with
 * the same question share the next one.
 *
 * Not called directly: `@Heavy` (work-class.ts) runs a field in it, and `streams` a route.
 */
@Injectable()
export class HeavyWork {
  readonly streams: Streams;
  private readonly slots = slotsFor(RUNS_PER_TENANT, RUNS);
  /** Runs not yet started, by tenant and question. */
  private readonly pending = new Map<string, Run>();
  private readonly running = new Set<Run>();
  /** Results by question. Equal fields of an operation have one answer, regardless of when each is resolved. */
  private readonly ofOperation = new WeakMap<AnswerBudget, Map<string, Promise<unknown>>>();

  private readonly pool: TenantSemaphore;
  private readonly outcomes;

  constructor({ answered }: MemoryBudget, metrics: Metrics) {
    this.pool = answered;
    this.outcomes = metrics.counter({
      name: 'heavy_work_total',
      help: 'Heavy fields (kind field) and long answers of routes (kind stream) by outcome: done, left (all callers disconnected), refused',
      labelNames: ['kind', 'outcome'],
    });
    this.streams = new Streams(answered, (outcome) => this.outcomes.inc({ kind: 'stream', outcome }));
    const work = metrics.gauge({
      name: 'heavy_work',
      help: 'Heavy fields (kind field) and long answers of routes (kind stream) by state: running, waiting for a slot',
      labelNames: ['kind', 'state'],
    });
    metrics.beforeReading(async () => {
      for (const [kind, { counts }] of [
        ['field', this],
        ['stream', this.streams],
      ] as const) {
        work.set({ kind, state: 'running' }, counts.running);
        work.set({ kind, state: 'waiting' }, counts.waiting);
      }
    });
  }

  /** Numbers of heavy fields running, and waiting for a slot. */
  get counts(): Counts {
    return { running: this.slots.held, waiting: this.slots.waiting };
  }

  /**
   * Returns the result of the work: from its own run, from one for the same question, or from the operation's earlier result.
   * @throws SERVICE_UNAVAILABLE without a slot or memory within 10 s; what the work throws
   */
  async ask<T>(tenantId: string, operation: AnswerBudget, asked: Asked, work: (run: Work) => Promise<T>): Promise<T> {
    let results = this.ofOperation.get(operation);
    if (!results) this.ofOperation.set(operation, (results = new Map()));
    let result = results.get(asked.question);
    if (!result) results.set(asked.question, (result = this.fromRun(tenantId, operation, asked, work)));
    return result as Promise<T>;
  }

  private async fromRun(tenantId: string, operation: AnswerBudget, asked: Asked, work: (run: Work) => Promise<unknown>) {
    const key = `${tenantId}\n${asked.question}`;
    let run = this.pending.get(key);
    if (!run) {
      run = new Run(tenantId, asked.question, this.pool);
      this.pending.set(key, run);
      const own = run;
      void this.start(run, key, asked.memoryBytes, () => work(own));
    }
    return run.resultFor(operation);
  }

  private async start(run: Run, key: string, memoryBytes: number, work: () => Promise<unknown>): Promise<void> {
    const begin = (): void => void (this.pending.get(key) === run && this.pending.delete(key));
    run.onOver(begin);
    try {
      await this.slots.take(run.tenantId, 1, { signal: run.signal, isPatient: () => this.follows(run) });
    } catch (error) {
      begin();
      this.outcomes.inc({ kind: 'field', outcome: run.signal.aborted ? 'left' : 'refused' });
      return run.fail(error);
    }
    this.running.add(run);
    await run.execute(memoryBytes, () => {
      begin();
      return work();
    });
    begin();
    this.outcomes.inc({ kind: 'field', outcome: run.signal.aborted ? 'left' : 'done' });
    this.running.delete(run);
    this.slots.release(run.tenantId, 1);
  }

  /** Returns whether a run waits for one with the same question, or for one of the same operation. */
  private follows(run: Run): boolean {
    for (const other of this.running) {
      if (other.tenantId !== run.tenantId) continue;
      if (other.question === run.question || other.isOfSameOperation(run)) return true;
    }
    return false;
  }
}
