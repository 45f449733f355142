import { availableParallelism } from 'node:os';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { AnswerBudget } from '../../../common/scheduling/operation-budget.js';
import { AppError } from '../../../common/base/app-error.js';
import { Logger } from '../../../common/logging/logger.js';
import { RenderMetrics } from './render-metrics.js';
import { projectFile } from '../../../common/base/project-file.js';
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
/** Queue of the health check. No collision, since tenant ids are UUIDs. */
const HEALTH_CHECK = 'health check';

const TOO_MANY_WAITING = `the tenant already has ${MAX_WAITING_OF_TENANT} queued renderings, the maximum; retry when some have finished`;

interface WaitingJob {
  tenantId: string;
  job: RenderJob;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
  /** Cancels the queueing timeout. */
  begun: () => void;
  addedAt: number;
  span: Span | undefined;
  /** Process that runs the job. */
  renderer?: RendererProcess;
  isLeft?: true;
}

/** Requesting operation. Over once it is answered, times out or its caller disconnects. */
type Asking = Pick<AnswerBudget, 'onOver'>;

/**
 * Renders in child processes, started on demand and shared fairly between tenants. A job that exceeds its time or memory kills only
 * its own process. The pool allows one process more than one tenant can occupy, so that another tenant never waits for the first.
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
  /** True once a renderer has finished a job, until failed starts leave the pool empty. */
  private hasAnswered = false;
  private closed = false;
  private scheduler?: TenantScheduler<WaitingJob>;

  constructor(
    private readonly metrics: RenderMetrics,
    private readonly logger: Logger,
  ) {}

  /** Queued jobs of all tenants. Each running job occupies one slot of its tenant. */
  private get queue(): TenantScheduler<WaitingJob> {
    const share = this.maxOfTenant;
    return (this.scheduler ??= new TenantScheduler({ share, maxWaitingOfTenant: MAX_WAITING_OF_TENANT }));
  }

  /**
   * Runs a job. When the requesting operation is over, a queued job is dropped and a running one killed.
   * @throws RenderingRefused if the job breaks a rule or a limit; AppError RATE_LIMITED if the tenant has too many queued jobs,
   * SERVICE_UNAVAILABLE if no process starts the job in time
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
      const begun = afterSilence(this.maxWaitMs, () => this.timeOut(waiting));
      const settling = { resolve: resolve as WaitingJob['resolve'], reject, begun };
      const waiting: WaitingJob = { tenantId, job, ...settling, addedAt: performance.now(), span };
      if (!this.queue.add(tenantId, waiting, { size: 1 })) {
        return this.refuse(waiting, 'queue_full', new AppError('RATE_LIMITED', TOO_MANY_WAITING));
      }
      onOver(() => this.abandon(waiting));
      this.dispatch();
    });
  }

  private abandon(waiting: WaitingJob): void {
    waiting.isLeft = true;
    if (!this.queue.remove(waiting.tenantId, waiting)) return waiting.renderer?.kill();
    this.refuse(waiting, 'left', callerLeft());
    this.dispatch();
  }

  /**
   * Resolves once a renderer has finished a job. Starts one on the first call, and after failed starts.
   * @throws AppError SERVICE_UNAVAILABLE while no renderer works
   */
  async check(): Promise<void> {
    if (!this.hasAnswered) await this.run(HEALTH_CHECK, { kind: 'text', html: '<p>ready' });
  }

  /** Runs after the last request was answered. */
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
    // Keeps one process ready for other tenants while jobs of one tenant wait for each other.
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
    if (waiting.isLeft) this.refuse(waiting, 'left', callerLeft());
    else this.finish(waiting, answer);
    if (this.renderers.has(renderer)) this.idle.push(renderer);
    this.dispatch();
  }

  private finish(waiting: WaitingJob, answer: Answer | Ending): void {
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

  private timeOut(waiting: WaitingJob): void {
    this.queue.remove(waiting.tenantId, waiting);
    this.refuse(
      waiting,
      'waited',
      unavailable(`rendering is busy: the job did not start within ${this.maxWaitMs / 1_000} s; retry later`),
    );
    this.dispatch();
  }

  private refuseWaiting(message: string): void {
    for (const waiting of this.queue.drain()) this.refuse(waiting, 'unavailable', unavailable(message));
  }

  /** Returns true if another renderer may start. While starts fail, only an empty pool starts one. */
  private mayStart(): boolean {
    if (this.closed || this.renderers.size > this.maxOfTenant) return false;
    return this.failedStarts < MAX_FAILED_STARTS || this.renderers.size === 0;
  }

  private start(): void {
    this.starting += 1;
    try {
      this.renderers.add(new RendererProcess(this.entry, this.logger, this));
    } catch (error) {
      this.logger.warn({ err: error }, 'a render process could not be started');
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
      this.logger.error('render processes fail to start; queued jobs were refused');
      this.refuseWaiting('rendering is unavailable; retry later');
    }
    this.dispatch();
  }

  /** Callback of a renderer ready for its first job. */
  ready(renderer: RendererProcess): void {
    this.starting -= 1;
    this.failedStarts = 0;
    this.idle.push(renderer);
    this.dispatch();
  }

  /** Callback of a renderer that has exited, after its job was answered. */
  ended(renderer: RendererProcess, started: boolean): void {
    this.renderers.delete(renderer);
    const at = this.idle.indexOf(renderer);
    if (at !== -1) this.idle.splice(at, 1);
    if (started) this.dispatch();
    else this.afterFailedStart();
  }
}

const unavailable = (message: string): AppError => new AppError('SERVICE_UNAVAILABLE', message);
const callerLeft = (): AppError => unavailable('the caller has disconnected');

function errorAfter(ended: Ending['ended']): Error {
  const refused = (message: string): Error => new RenderingRefused({ code: 'BAD_USER_INPUT', field: null, message });
  if (ended === 'timeout')
    return refused(`rendering exceeded its limit of ${asSeconds(WORK_LIMIT_MS)} s; make the template or its params smaller`);
  if (ended === 'starved')
    return unavailable(`the machine was too busy to render within ${asSeconds(CLOCK_LIMIT_MS)} s; retry later`);
  if (ended === 'memory') return refused('rendering exceeded its memory limit; make the template or its params smaller');
  return unavailable('the rendering was interrupted; retry');
}
