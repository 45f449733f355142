import { availableParallelism } from 'node:os';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { AnswerBudget } from '../../../common/bounds/answer-budget.js';
import { TenantSemaphore } from '../../../common/bounds/tenant-semaphore.js';
import { Config } from '../../../common/config/config.js';
import { AppError } from '../../../common/errors/app-error.js';
import { Logger } from '../../../common/logging/logger.js';
import { SpanKind, traced } from '../../../common/tracing/spans.js';
import { asBytes, asSeconds } from '../../../common/validation/amounts.js';
import { MAX_PDFS_WAITING_OF_TENANT, PDF_CLOCK_LIMIT_MS, PDF_MEMORY_BYTES, PDF_WORK_LIMIT_MS } from '../models/limits.js';
import { BrowserSupply } from './browser-supply.js';
import type { Chromium } from './chromium.js';
import type { PdfDocument, PrintedPdf } from './pdf-document.js';
import { PdfMetrics } from './pdf-metrics.js';
import { removeLeftProfiles } from './profiles.js';
import { usageOfTree } from './process-tree.js';

const MAX_BROWSERS_OF_TENANT = 4;
const CHECK_EVERY_MS = 100;

/** A PDF that somebody waits for. */
interface Job {
  /** Why the job ends before it is done. */
  refusal?: AppError;
  outcome: string;
  browser?: Chromium;
  ending: AbortController;
}

/** Prints each PDF in a browser of its own, which is killed with all of its processes once it takes too much, or nobody waits. */
@Injectable()
export class PdfPrinter implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly places: TenantSemaphore;
  private readonly jobs = new Set<Job>();
  private readonly endings = new Set<Promise<void>>();

  constructor(
    private readonly config: Config,
    private readonly supply: BrowserSupply,
    private readonly metrics: PdfMetrics,
    private readonly logger: Logger,
  ) {
    const share = Math.max(1, Math.min(MAX_BROWSERS_OF_TENANT, Math.floor(availableParallelism() / config.workers)));
    this.places = new TenantSemaphore({
      share,
      capacity: share + 1,
      maxWaitMs: PDF_CLOCK_LIMIT_MS,
      maxWaitingOfTenant: MAX_PDFS_WAITING_OF_TENANT,
      busy: 'Too many PDFs are printed or wait at the moment; try again',
      full: tooManyWait,
    });
  }

  /** Called before the first request. */
  async onApplicationBootstrap(): Promise<void> {
    if (!this.config.chromiumPath) return;
    await removeLeftProfiles().catch((error: unknown) => {
      this.logger.warn({ err: error }, 'profiles of browsers that are left were not removed');
    });
  }

  /** @throws FAILED_PRECONDITION when this server has no browser */
  check(): void {
    if (this.config.chromiumPath) return;
    const message = 'this server makes no PDF: its operator must set CHROMIUM_PATH to a Chromium, see docs/document-rendering.md';
    throw new AppError('FAILED_PRECONDITION', message);
  }

  /**
   * Prints a document.
   * @throws PAYLOAD_TOO_LARGE and BAD_USER_INPUT for a document that takes too much; RATE_LIMITED when the tenant waits for too many;
   * SERVICE_UNAVAILABLE when no browser prints it in time
   */
  print(tenantId: string, load: () => Promise<PdfDocument>, asking?: AnswerBudget): Promise<PrintedPdf> {
    const options = { kind: SpanKind.INTERNAL, attributes: { 'platform.tenant.id': tenantId } };
    return traced('print a PDF', options, async () => {
      const job: Job = { outcome: 'failed', ending: new AbortController() };
      const leave = () => this.stop(job, 'left', unavailable('nobody waits for the PDF any more'));
      const forget = asking?.onOver(leave);
      const timer = setTimeout(
        () => this.stop(job, 'timeout', unavailable(`no PDF within ${asSeconds(PDF_CLOCK_LIMIT_MS)} s; try again later`)),
        PDF_CLOCK_LIMIT_MS,
      );
      try {
        await this.takePlace(tenantId, job);
        return await this.inPlace(tenantId, job, load);
      } finally {
        clearTimeout(timer);
        forget?.();
        this.metrics.jobs.inc({ outcome: job.outcome });
      }
    });
  }

  /** Called after the last request was answered. */
  async onApplicationShutdown(): Promise<void> {
    for (const job of this.jobs) this.stop(job, 'left', unavailable('the server is stopping'));
    await Promise.all(this.endings);
  }

  private async takePlace(tenantId: string, job: Job): Promise<void> {
    const taken = this.places.take(tenantId, 1, { signal: job.ending.signal });
    this.metrics.waiting.set(this.places.waiting);
    try {
      await taken;
    } catch (error) {
      if (!job.refusal) job.outcome = 'refused';
      throw error;
    } finally {
      this.metrics.waiting.set(this.places.waiting);
    }
  }

  /** Returns as soon as the PDF is there. The place is held until the browser has ended. */
  private async inPlace(tenantId: string, job: Job, load: () => Promise<PdfDocument>): Promise<PrintedPdf> {
    this.jobs.add(job);
    const measured = this.metrics.duration.startTimer();
    try {
      const document = await load();
      return await this.withBrowser(job, document);
    } finally {
      measured();
      this.jobs.delete(job);
      const ending = this.leavePlace(tenantId, job).finally(() => this.endings.delete(ending));
      this.endings.add(ending);
    }
  }

  private async leavePlace(tenantId: string, { browser, outcome }: Job): Promise<void> {
    try {
      await browser?.end();
    } catch (error) {
      this.logger.warn({ err: error, outcome }, 'a browser left its profile behind');
    } finally {
      this.places.release(tenantId, 1);
      // One that was started ahead has the place of the next PDF.
      if (browser && this.places.held < this.places.capacity) this.supply.prepare();
    }
  }

  private async withBrowser(job: Job, document: PdfDocument): Promise<PrintedPdf> {
    let watch: NodeJS.Timeout | undefined;
    try {
      const prepared = await this.supply.takePrepared();
      job.browser = prepared ?? (await this.supply.startNow());
      if (job.refusal) throw job.refusal;
      watch = setInterval(() => this.watch(job), CHECK_EVERY_MS);
      const printed = await (prepared ? this.printedAhead(job, prepared, document) : job.browser.print(document));
      job.outcome = 'ok';
      return printed;
    } catch (error) {
      if (job.refusal) throw job.refusal;
      if (error instanceof AppError) {
        job.outcome = 'refused';
        throw error;
      }
      this.logger.warn({ err: error }, 'a browser did not print a PDF');
      throw unavailable('the browser did not print it; try again, or make it smaller or simpler');
    } finally {
      clearInterval(watch);
    }
  }

  /** Prints in a browser that was started ahead. One that ended meanwhile is replaced, since the document is not the cause. */
  private async printedAhead(job: Job, prepared: Chromium, document: PdfDocument): Promise<PrintedPdf> {
    try {
      return await prepared.print(document);
    } catch (error) {
      if (job.refusal || error instanceof AppError || prepared.isAlive) throw error;
      await prepared.end();
      job.browser = await this.supply.startNow();
      if (job.refusal) throw job.refusal;
      return job.browser.print(document);
    }
  }

  private watch(job: Job): void {
    const { workedMs, memoryBytes } = usageOfTree(job.browser!.pid);
    const refused = (what: string) => new AppError('BAD_USER_INPUT', `input: printing takes more than ${what}; make it smaller or simpler`, { field: 'input' }); // prettier-ignore
    if (workedMs > PDF_WORK_LIMIT_MS) this.stop(job, 'timeout', refused(`${asSeconds(PDF_WORK_LIMIT_MS)} s of processor time`));
    if (memoryBytes > PDF_MEMORY_BYTES) this.stop(job, 'memory', refused(`${asBytes(PDF_MEMORY_BYTES)} of memory`));
  }

  private stop(job: Job, outcome: string, refusal: AppError): void {
    if (job.refusal) return;
    Object.assign(job, { refusal, outcome });
    job.ending.abort(refusal);
    job.browser?.kill();
  }
}

const unavailable = (message: string): AppError => new AppError('SERVICE_UNAVAILABLE', message);

const tooManyWait = (): AppError =>
  new AppError('RATE_LIMITED', `at most ${MAX_PDFS_WAITING_OF_TENANT} PDFs of a tenant may wait; ask again when some are done`);
