import { Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppError } from '../../../common/errors/app-error.js';
import { Logger } from '../../../common/logging/logger.js';
import { afterSilence } from '../../../common/waiting/in-time.js';
import type { Embedded } from './archival-pdf.js';
import type { About } from './metadata.js';
import type { PdfFacts, PdfOrder, PdfOutcome } from './pdf-orders.js';

/** Time that an order may take. One of 45 MiB and 300,000 objects takes 0.5 s of a core. */
const SILENT_MS = 20_000;
/** Time that an idle thread stays for the next PDF. A new one loads the library for 0.5 s of a core. */
const IDLE_MS = 60_000;
const MEMORY_MIB = 1_024;

interface Call {
  resolve(outcome: Exclude<PdfOutcome, { fault: Error }>): void;
  reject(error: Error): void;
}

/**
 * Thread that reads and completes printed PDFs: a long one would hold the event loop for half a second. It is started for the first PDF, and
 * terminated when it is idle, silent or out of memory. Its library, @libpdf/core, parses objects when they are read: 0.5 s and 140 MB for
 * 45 MiB, where @cantoo/pdf-lib took 8 s and 450 MB.
 */
@Injectable()
export class PdfThread implements OnApplicationShutdown {
  private worker?: Worker | undefined;
  private calls: Call[] = [];
  private heard?: (() => void) | undefined;
  private idle?: NodeJS.Timeout;

  constructor(private readonly logger: Logger) {}

  /** Returns the PDF and its facts. @throws SERVICE_UNAVAILABLE when the thread ends; any other error when it is no PDF */
  async read(pdf: Uint8Array<ArrayBuffer>): Promise<{ content: Buffer<ArrayBuffer>; facts: PdfFacts }> {
    const outcome = await this.ask({ do: 'read', pdf });
    return { content: bufferOf(outcome.pdf), facts: outcome.facts! };
  }

  /** Returns a PDF with what Chromium does not write, as `archivalPdf` does. @throws the errors of `read` */
  async complete(pdf: Uint8Array<ArrayBuffer>, about: About, embedded: Embedded[]): Promise<Buffer> {
    return bufferOf((await this.ask({ do: 'complete', pdf, about, embedded })).pdf);
  }

  onApplicationShutdown(): void {
    this.end('the server is stopping');
  }

  private ask(order: PdfOrder): ReturnType<typeof this.outcome> {
    clearTimeout(this.idle);
    const worker = (this.worker ??= this.start());
    worker.ref();
    worker.postMessage(order, [order.pdf.buffer]);
    return this.outcome();
  }

  private outcome(): Promise<Parameters<Call['resolve']>[0]> {
    return new Promise((resolve, reject) => {
      this.calls.push({ resolve, reject });
      this.heard ??= this.listen();
    });
  }

  private start(): Worker {
    const resourceLimits = { maxOldGenerationSizeMb: MEMORY_MIB };
    const worker = new Worker(new URL('./pdf-worker.js', import.meta.url), { name: 'pdf', env: {}, resourceLimits });
    const ended = (why: string) => worker === this.worker && this.end(why);
    worker.on('message', (outcome: PdfOutcome) => worker === this.worker && this.settle(outcome));
    worker.on('error', ({ message }) => ended(message));
    worker.on('exit', (code) => ended(`it exited with code ${code}`));
    return worker;
  }

  private settle(outcome: PdfOutcome): void {
    const { resolve, reject } = this.calls.shift()!;
    this.heard?.();
    this.heard = this.calls.length > 0 ? this.listen() : undefined;
    if (this.calls.length === 0) {
      this.worker?.unref();
      this.idle = setTimeout(() => this.end('it is idle'), IDLE_MS).unref();
    }
    if ('fault' in outcome) reject(outcome.fault);
    else resolve(outcome);
  }

  private listen(): () => void {
    return afterSilence(SILENT_MS, () => this.end(`it was silent for ${SILENT_MS} ms`));
  }

  /** Terminates the thread, and refuses what it has not done. The next order starts another. */
  private end(why: string): void {
    clearTimeout(this.idle);
    this.heard?.();
    this.heard = undefined;
    const { worker, calls } = this;
    this.worker = undefined;
    this.calls = [];
    void worker?.terminate();
    if (calls.length > 0) this.logger.warn({ why, calls: calls.length }, 'the thread that reads PDFs has ended');
    for (const { reject } of calls) reject(new AppError('SERVICE_UNAVAILABLE', 'the PDF was not read; try again later'));
  }
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Buffer<ArrayBuffer> =>
  Buffer.from(buffer, byteOffset, byteLength);
