import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { AppError } from '../../../common/base/app-error.js';
import { Logger } from '../../../common/logging/logger.js';
import { asBytes, asSeconds } from '../../../common/base/amounts.js';
import { PDF_MEMORY_BYTES, PDF_WORK_LIMIT_MS } from '../models/limits.js';
import type { PdfDocument } from './pdf-document.js';
import type { EnginePdf, PdfEngine, PrintJob } from './pdf-engine.js';
import { browserToStop } from './browser-memory.js';
import { BrowserSupply } from './browser-supply.js';
import type { Chromium } from './chromium.js';
import { usageOfTree } from './process-tree.js';
import { removeLeftProfiles } from './profiles.js';

const CHECK_EVERY_MS = 100;

/** Running job, with its browser once that has started. */
interface Printing {
  job: PrintJob;
  browser?: Chromium;
  /** Memory of the browser's processes at the last check. */
  memoryBytes: number;
}

/**
 * Prints each PDF in a separate browser. Kills it with all its processes when it exceeds a limit or its caller disconnects. All
 * browsers share a memory limit; beyond it, the tenant that uses the most loses one.
 */
@Injectable()
export class ChromiumEngine implements PdfEngine, OnApplicationBootstrap {
  private readonly printings = new Set<Printing>();

  constructor(
    private readonly config: Config,
    private readonly supply: BrowserSupply,
    private readonly logger: Logger,
  ) {}

  /** Runs before the first request. */
  async onApplicationBootstrap(): Promise<void> {
    if (!this.config.chromiumPath) return;
    await removeLeftProfiles().catch((error: unknown) => {
      this.logger.warn({ err: error }, 'leftover browser profiles could not be removed');
    });
  }

  /** Prints a document. The browser stops afterwards. */
  async print(document: PdfDocument, job: PrintJob): Promise<EnginePdf> {
    const printing: Printing = { job, memoryBytes: 0 };
    this.printings.add(printing);
    const kill = () => printing.browser?.kill();
    job.signal.addEventListener('abort', kill);
    let watch: NodeJS.Timeout | undefined;
    try {
      const prepared = await this.supply.takePrepared();
      printing.browser = prepared ?? (await this.supply.startNow());
      job.signal.throwIfAborted();
      watch = setInterval(() => this.watch(printing), CHECK_EVERY_MS);
      return await (prepared ? this.printedAhead(printing, prepared, document) : printing.browser.print(document));
    } finally {
      clearInterval(watch);
      this.printings.delete(printing);
      job.signal.removeEventListener('abort', kill);
      job.holdUntil(this.end(printing));
    }
  }

  /** Starts the browser of the next PDF, which occupies that PDF's slot. */
  prepare(isAwaited: () => boolean): void {
    this.supply.prepare(isAwaited);
  }

  private async end({ browser }: Printing): Promise<void> {
    try {
      await browser?.end();
    } catch (error) {
      this.logger.warn({ err: error }, 'a browser profile could not be removed');
    }
  }

  /** Prints in a browser started ahead. Replaces it if it has exited meanwhile, since the document is not the cause. */
  private async printedAhead(printing: Printing, prepared: Chromium, document: PdfDocument): Promise<EnginePdf> {
    const { signal } = printing.job;
    try {
      return await prepared.print(document);
    } catch (error) {
      if (signal.aborted || error instanceof AppError || prepared.isAlive) throw error;
      await prepared.end();
      printing.browser = await this.supply.startNow();
      signal.throwIfAborted();
      return printing.browser.print(document);
    }
  }

  private watch(printing: Printing): void {
    const { job, browser } = printing;
    const { workedMs, memoryBytes } = usageOfTree(browser!.pid);
    printing.memoryBytes = memoryBytes;
    const refused = (what: string) => new AppError('BAD_USER_INPUT', `input: printing exceeded its limit of ${what}; make the document smaller`, { field: 'input' }); // prettier-ignore
    if (workedMs > PDF_WORK_LIMIT_MS) job.stop('timeout', refused(`${asSeconds(PDF_WORK_LIMIT_MS)} s of processor time`));
    const limitBytes = Math.min(PDF_MEMORY_BYTES, this.config.pdfMemoryBytes);
    if (memoryBytes > limitBytes) return job.stop('memory', refused(`${asBytes(limitBytes)} of memory`));
    this.stopOne();
  }

  /** Stops one browser when all together exceed the limit. Ignores browsers that are already stopping. */
  private stopOne(): void {
    const { pdfMemoryBytes } = this.config;
    const alive = [...this.printings].filter(({ job }) => !job.signal.aborted);
    const largest = browserToStop(alive.map(({ job, memoryBytes }) => ({ tenantId: job.tenantId, memoryBytes, job })), pdfMemoryBytes); // prettier-ignore
    const problem = `the PDFs of this server exceeded their common limit of ${asBytes(pdfMemoryBytes)} of memory, and this one used the most; make it smaller or retry`;
    largest?.job.stop('memory', new AppError('SERVICE_UNAVAILABLE', problem));
  }
}
