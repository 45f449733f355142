import { availableParallelism } from 'node:os';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { AnswerBudget } from '../../../common/scheduling/operation-budget.js';
import { AppError } from '../../../common/base/app-error.js';
import { Logger } from '../../../common/logging/logger.js';
import { RenderMetrics } from './render-metrics.js';
import { projectFile } from '../../../common/project-file.js';
import { TenantScheduler } from '../../../common/scheduling/tenant-scheduler.js';
import { type Span, SpanKind, traced } from '../../../common/tracing/spans.js';
import type { Answer, RenderJob, ResultOf } from '../rendering/render-job.js';
import { RenderingRefused } from '../template-language/result/refusal.js';
import { type Ending, type RendererListener, RendererProcess } from './renderer-process.js';
import { afterSilence } from '../../../common/base/in-time.js';
import { asSeconds } from '../../../common/base/amounts.js';
import { CLOCK_LIMIT_MS, MAX_WAITING_OF_TENANT, WORK_LIMIT_MS } from '../models/limits.js';

const MAX_RENDERERS_OF_TENANT = 4;
const MAX_WAIT_MS = 10_000;
const MAX_FAILED_STARTS = 2;
/** The queue of the health check's jobs. No tenant has this id, since ids of tenants are UUIDs. */
const HEALTH_CHECK = 'health check';

const TOO_MANY_WAITING = `at most ${MAX_WAITING_OF_TENANT} renderings of a tenant may wait; ask again when some are done`;

interface WaitingJob {
  tenantId: string;
  job: RenderJob;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
  /** Ends the limit of the wait. */
  begun: () => void;
  addedAt: number;
  span: Span | undefined;
  /** The process that runs the job. */
  renderer?: RendererProcess;
  isLeft?: true;
}

/** The operation that requested a job. It is over once it is answered, takes too long, or its caller left. */
type Asking = Pick<AnswerBudget, 'onOver'>;

/**
 * Renders in child processes, which are started on demand. A job that takes too much time or memory ends only its own process.
 * The server's own thread stays free, and processes are shared fairly between tenants. The pool may have one process more than
 * one tenant can occupy. This process is started when another tenant finds all others busy, so that its job does not wait for
 * those of the first tenant.
 */
@Injectable()
export class RenderPool implements OnApplicationShutdown, RendererListener {
  protected readonly entry = projectFile('dist/bundle/render-child.js');
  protected readonly maxOfTenant: number = Math.min(MAX_RENDERERS_OF_TENANT, Math.max(1, availableParallelism() - 1));
  protected readonly maxWaitMs: number = MAX_WAIT_MS;
  private readonly renderers = new Set<RendererProcess>();
  private readonly idle: RendererProcess[] = [];
  private starting = 0;
  private failedStarts = 0;
  /** Whether a renderer has finished a job, and no failed start has left the pool empty since then. */
  private hasAnswered = false;
  private closed = false;
  private scheduler?: TenantScheduler<WaitingJob>;

  constructor(
    private readonly metrics: RenderMetrics,
    private readonly logger: Logger,
  ) {}

  /** The waiting jobs of all tenants. Each running job takes 1 of the share of its tenant. */
  private get queue(): TenantScheduler<WaitingJob> {
    const share = this.maxOfTenant;
    return (this.scheduler ??= new TenantScheduler({ share, maxWaitingOfTenant: MAX_WAITING_OF_TENANT }));
  }

  /**
   * Runs a job. Once the requesting operation is over, a waiting job is not started, and the process of a running job is killed.
   * @throws RenderingRefused if the job breaks a rule or a limit
   * @throws AppError RATE_LIMITED if the tenant has too many jobs waiting, SERVICE_UNAVAILABLE if no process starts the job in
   * time
   */
  run<J extends RenderJob>(tenantId: string, job: J, asking?: Asking): Promise<ResultOf<J>> {
    const options = { kind: SpanKind.INTERNAL, attributes: { 'platform.tenant.id': tenantId } };
    return traced(`render ${job.kind} in a process`, options, async (span) => {
      let forget: (() => void) | undefined;
      const onOver = (stop: () => void): void => void (forget = asking?.onOver(stop));
      return this.enqueue(tenantId, job, { span, onOver }).finally(() => forget?.());
    });
  }

  private enqueue<J extends RenderJob>(
    tenantId: string,
    job: J,
    { span, onOver }: { span: Span | undefined; onOver: (stop: () => void) => void },
  ): Promise<ResultOf<J>> {
    return new Promise((resolve, reject) => {
      if (this.closed) return reject(unavailable('the server is stopping'));
      const begun = afterSilence(this.maxWaitMs, () => this.giveUp(waiting));
      const settling = { resolve: resolve as WaitingJob['resolve'], reject, begun };
      const waiting: WaitingJob = { tenantId, job, ...settling, addedAt: performance.now(), span };
      if (!this.queue.add(tenantId, waiting, { size: 1 })) {
        return this.refuse(waiting, 'queue_full', new AppError('RATE_LIMITED', TOO_MANY_WAITING));
      }
      onOver(() => this.leave(waiting));
      this.dispatch();
    });
  }

  private leave(waiting: WaitingJob): void {
    waiting.isLeft = true;
    if (!this.queue.remove(waiting.tenantId, waiting)) return waiting.renderer?.kill();
    this.refuse(waiting, 'left', nobodyWaits());
    this.dispatch();
  }

  /**
   * Resolves once a renderer has started and finished a job. Starts a renderer on the first call, and after failed starts.
   * @throws AppError SERVICE_UNAVAILABLE while no renderer works
   */
  async check(): Promise<void> {
    if (!this.hasAnswered) await this.run(HEALTH_CHECK, { kind: 'text', html: '<p>ready' });
  }

  /** Called after the last request was answered. */
  onApplicationShutdown(): void {
    this.closed = true;
    this.refuseWaiting('the server is stopping');
    for (const renderer of this.renderers) renderer.kill();
  }

  private dispatch(): void {
    while (this.idle.length > 0) {
      const waiting = this.queue.next();
      if (!waiting) break;
      void this.execute(this.idle.pop()!, waiting);
    }
    if (this.queue.waiting === 0) this.failedStarts = 0;
    const { takeable } = this.queue;
    // If a tenant's jobs wait for its other jobs, one more process is kept ready for the jobs of other tenants.
    const spare = this.queue.waiting > takeable && this.idle.length === 0 ? 1 : 0;
    while (takeable + spare > this.starting && this.mayStart()) this.start();
    this.metrics.renderQueue.set(this.queue.waiting);
    this.metrics.renderProcesses.set(this.renderers.size);
  }

  private async execute(renderer: RendererProcess, waiting: WaitingJob): Promise<void> {
    waiting.begun();
    waiting.span?.setAttributes({ 'platform.render.waited_ms': Math.round(performance.now() - waiting.addedAt) });
    const measured = this.metrics.renderDuration.startTimer({ kind: waiting.job.kind });
    waiting.renderer = renderer;
    const answer = await renderer.run(waiting.job);
    waiting.renderer = undefined;
    this.queue.release(waiting.tenantId, 1);
    measured();
    if (waiting.isLeft) this.refuse(waiting, 'left', nobodyWaits());
    else this.settle(waiting, answer);
    if (this.renderers.has(renderer)) this.idle.push(renderer);
    this.dispatch();
  }

  private settle(waiting: WaitingJob, answer: Answer | Ending): void {
    if (!('ended' in answer)) this.hasAnswered = true;
    if ('result' in answer) {
      this.metrics.renderJobs.inc({ kind: waiting.job.kind, outcome: 'ok' });
      waiting.resolve(answer.result);
    } else if ('refusal' in answer) {
      this.refuse(waiting, 'refused', new RenderingRefused(answer.refusal));
    } else if ('fault' in answer) {
      this.refuse(waiting, 'fault', new Error(`in a render process: ${answer.fault}`));
    } else {
      this.refuse(waiting, answer.ended, errorAfter(answer.ended));
    }
  }

  private refuse(waiting: WaitingJob, outcome: string, error: Error): void {
    waiting.begun();
    this.metrics.renderJobs.inc({ kind: waiting.job.kind, outcome });
    waiting.reject(error);
  }

  private giveUp(waiting: WaitingJob): void {
    this.queue.remove(waiting.tenantId, waiting);
    this.refuse(
      waiting,
      'waited',
      unavailable(`rendering is busy and did not start within ${this.maxWaitMs / 1_000} s; try again later`),
    );
    this.dispatch();
  }

  private refuseWaiting(message: string): void {
    for (const waiting of this.queue.drain()) this.refuse(waiting, 'unavailable', unavailable(message));
  }

  /** Whether another renderer may be started. While starts fail, only an empty pool starts one. */
  private mayStart(): boolean {
    if (this.closed || this.renderers.size > this.maxOfTenant) return false;
    return this.failedStarts < MAX_FAILED_STARTS || this.renderers.size === 0;
  }

  private start(): void {
    this.starting += 1;
    try {
      this.renderers.add(new RendererProcess(this.entry, this.logger, this));
    } catch (error) {
      this.logger.warn({ err: error }, 'the system could not start a render process');
      setImmediate(() => this.afterFailedStart());
    }
  }

  private afterFailedStart(): void {
    this.starting -= 1;
    if (this.closed) return;
    this.failedStarts += 1;
    const isEmpty = this.renderers.size === this.starting;
    if (isEmpty) this.hasAnswered = false;
    if (this.failedStarts >= MAX_FAILED_STARTS && isEmpty) {
      this.logger.error('render processes do not start; waiting jobs were refused');
      this.refuseWaiting('rendering does not work at the moment; try again later');
    }
    this.dispatch();
  }

  /** Called by a renderer when it is ready for its first job. */
  ready(renderer: RendererProcess): void {
    this.starting -= 1;
    this.failedStarts = 0;
    this.idle.push(renderer);
    this.dispatch();
  }

  /** Called by a renderer when it has ended and its job is settled. */
  ended(renderer: RendererProcess, started: boolean): void {
    this.renderers.delete(renderer);
    const at = this.idle.indexOf(renderer);
    if (at !== -1) this.idle.splice(at, 1);
    if (started) this.dispatch();
    else this.afterFailedStart();
  }
}

const unavailable = (message: string): AppError => new AppError('SERVICE_UNAVAILABLE', message);
const nobodyWaits = (): AppError => unavailable('nobody waits for the rendering any more');

function errorAfter(ended: Ending['ended']): Error {
  const refused = (message: string): Error => new RenderingRefused({ code: 'BAD_USER_INPUT', field: null, message });
  if (ended === 'timeout')
    return refused(`rendering takes more than ${asSeconds(WORK_LIMIT_MS)} s, which is the limit; make it smaller or simpler`);
  if (ended === 'starved')
    return unavailable(`the machine was too busy to render it within ${asSeconds(CLOCK_LIMIT_MS)} s; try again later`);
  if (ended === 'memory') return refused('rendering takes more memory than it may; make it smaller or simpler');
  return unavailable('the rendering was interrupted; try again');
}
