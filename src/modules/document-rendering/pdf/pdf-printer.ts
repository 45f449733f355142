import { availableParallelism } from 'node:os';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { AnswerBudget } from '../../../common/scheduling/operation-budget.js';
import { afterSilence } from '../../../common/base/in-time.js';
import { TenantSemaphore } from '../../../common/scheduling/tenant-semaphore.js';
import { Config } from '../../../common/config/config.js';
import { AppError } from '../../../common/base/app-error.js';
import { Logger } from '../../../common/logging/logger.js';
import { SpanKind, traced } from '../../../common/tracing/spans.js';
import { asSeconds } from '../../../common/base/amounts.js';
import { MAX_PDFS_WAITING_OF_TENANT, PDF_CLOCK_LIMIT_MS } from '../models/limits.js';
import { ChromiumEngine } from './chromium-engine.js';
import { GotenbergEngine } from './gotenberg-engine.js';
import type { PdfDocument, PrintedPdf } from './pdf-document.js';
import { checkPages, type PdfEngine } from './pdf-engine.js';
import { PdfThread } from './pdf-thread.js';
import { PdfMetrics } from './pdf-metrics.js';

const MAX_PDFS_OF_TENANT = 4;

/** Queued or running PDF. */
interface Job {
  /** Error of a job that stops early. */
  refusal?: AppError;
  outcome: string;
  ending: AbortController;
  /** Resolves when the slot is free. */
  ended?: Promise<void>;
}

/** Assigns slots to PDFs in round-robin order of tenants, and limits their time. */
@Injectable()
export class PdfPrinter implements OnApplicationShutdown {
  private readonly engine?: PdfEngine;
  private readonly slots: TenantSemaphore;
  private readonly jobs = new Set<Job>();
  private readonly endings = new Set<Promise<void>>();

  constructor(
    config: Config,
    chromium: ChromiumEngine,
    gotenberg: GotenbergEngine,
    private readonly thread: PdfThread,
    private readonly metrics: PdfMetrics,
    private readonly logger: Logger,
  ) {
    this.engine = config.chromiumPath ? chromium : config.pdfUrl ? gotenberg : undefined;
    const share = Math.max(1, Math.min(MAX_PDFS_OF_TENANT, Math.floor(availableParallelism() / config.workers)));
    this.slots = new TenantSemaphore({
      share,
      capacity: share + 1,
      maxWaitMs: PDF_CLOCK_LIMIT_MS,
      maxWaitingOfTenant: MAX_PDFS_WAITING_OF_TENANT,
      busy: 'Too many PDFs are running or queued; retry',
      full: tooManyWait,
    });
  }

  /** @throws FAILED_PRECONDITION on a server without an engine */
  check(): void {
    if (this.engine) return;
    const set = 'CHROMIUM_PATH to a Chromium, or PDF_URL to a Gotenberg';
    throw new AppError(
      'FAILED_PRECONDITION',
      `this server cannot print PDFs: its operator must set ${set}, see docs/document-rendering.md`,
    );
  }

  /**
   * Prints a document.
   * @throws PAYLOAD_TOO_LARGE or BAD_USER_INPUT for a document over a limit; RATE_LIMITED if the tenant has too many queued PDFs;
   * SERVICE_UNAVAILABLE if no engine prints it in time
   */
  print(tenantId: string, load: () => Promise<PdfDocument>, asking?: AnswerBudget): Promise<PrintedPdf> {
    const options = { kind: SpanKind.INTERNAL, attributes: { 'platform.tenant.id': tenantId } };
    return traced('print a PDF', options, async () => {
      const job: Job = { outcome: 'failed', ending: new AbortController() };
      const leave = () => this.stop(job, 'left', unavailable('the caller has disconnected'));
      const forget = asking?.onOver(leave);
      const printed = afterSilence(PDF_CLOCK_LIMIT_MS, () =>
        this.stop(job, 'timeout', unavailable(`no PDF within ${asSeconds(PDF_CLOCK_LIMIT_MS)} s; retry later`)),
      );
      try {
        await this.takeSlot(tenantId, job);
        return await this.inSlot(tenantId, job, load);
      } finally {
        printed();
        forget?.();
        this.metrics.jobs.inc({ outcome: job.outcome });
      }
    });
  }

  /** Runs after the last request was answered. */
  async onApplicationShutdown(): Promise<void> {
    for (const job of this.jobs) this.stop(job, 'left', unavailable('the server is stopping'));
    await Promise.all(this.endings);
  }

  private async takeSlot(tenantId: string, job: Job): Promise<void> {
    const taken = this.slots.take(tenantId, 1, { signal: job.ending.signal });
    this.metrics.waiting.set(this.slots.waiting);
    try {
      await taken;
    } catch (error) {
      if (!job.refusal) job.outcome = 'refused';
      throw error;
    } finally {
      this.metrics.waiting.set(this.slots.waiting);
    }
  }

  /** Returns as soon as the PDF is complete. Holds the slot until the engine has stopped. */
  private async inSlot(tenantId: string, job: Job, load: () => Promise<PdfDocument>): Promise<PrintedPdf> {
    this.jobs.add(job);
    const measured = this.metrics.duration.startTimer();
    try {
      const document = await load();
      return await this.printed(tenantId, job, document);
    } finally {
      measured();
      this.jobs.delete(job);
      const ending = this.releaseSlot(tenantId, job).finally(() => this.endings.delete(ending));
      this.endings.add(ending);
    }
  }

  private async releaseSlot(tenantId: string, { ended }: Job): Promise<void> {
    await ended;
    this.slots.release(tenantId, 1);
    // A browser started ahead occupies the next PDF's slot.
    if (ended && this.slots.held < this.slots.capacity) this.engine!.prepare?.(() => this.slots.waiting > 0);
  }

  private async printed(tenantId: string, job: Job, document: PdfDocument): Promise<PrintedPdf> {
    try {
      if (job.refusal) throw job.refusal;
      const { content, titleOf } = await this.engine!.print(document, {
        tenantId,
        signal: job.ending.signal,
        stop: (outcome, refusal) => this.stop(job, outcome, refusal),
        holdUntil: (ended) => (job.ended = ended),
      });
      const read = await this.thread.read(content);
      if (job.refusal) throw job.refusal;
      const { pages, title } = read.facts;
      checkPages(pages);
      job.outcome = 'ok';
      return { content: read.content, pages, title: titleOf(title) };
    } catch (error) {
      if (job.refusal) throw job.refusal;
      if (error instanceof AppError) {
        job.outcome = error.code === 'SERVICE_UNAVAILABLE' ? 'failed' : 'refused';
        throw error;
      }
      this.logger.warn({ err: error }, 'a PDF could not be printed');
      throw unavailable('the PDF could not be printed; retry, or make the document smaller');
    }
  }

  private stop(job: Job, outcome: string, refusal: AppError): void {
    if (job.refusal) return;
    Object.assign(job, { refusal, outcome });
    job.ending.abort(refusal);
  }
}

const unavailable = (message: string): AppError => new AppError('SERVICE_UNAVAILABLE', message);

const tooManyWait = (): AppError =>
  new AppError(
    'RATE_LIMITED',
    `the tenant already has ${MAX_PDFS_WAITING_OF_TENANT} queued PDFs, the maximum; retry when some have finished`,
  );
