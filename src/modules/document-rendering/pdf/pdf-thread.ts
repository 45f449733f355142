import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Logger } from '../../../common/logging/logger.js';
import { WorkThread } from '../../../common/workers/work-thread.js';
import type { Embedded } from './archival-pdf.js';
import type { About } from './metadata.js';

/** Properties read from a printed PDF. */
export interface PdfFacts {
  pages: number;
  title: string | null;
}

/** Work on a PDF, whose buffer is transferred to the thread and back without copying. */
export type PdfOrder =
  | { do: 'read'; pdf: Uint8Array<ArrayBuffer> }
  | { do: 'complete'; pdf: Uint8Array<ArrayBuffer>; about: About; embedded: Embedded[] };

export type PdfOutcome = { pdf: Uint8Array<ArrayBuffer>; facts?: PdfFacts } | { fault: Error };

/** Timeout of one order. A PDF of 45 MiB with 300,000 objects takes 0.5 s of a core. */
const SILENT_MS = 20_000;
const MEMORY_MIB = 1_024;

/**
 * Reads and completes printed PDFs in a thread, since a long one blocks the event loop for half a second. @libpdf/core parses objects
 * lazily: 0.5 s and 140 MB for 45 MiB, where @cantoo/pdf-lib took 8 s and 450 MB. A new thread loads it in 0.5 s.
 */
@Injectable()
export class PdfThread implements OnApplicationShutdown {
  private readonly thread: WorkThread<PdfOrder, PdfOutcome>;

  constructor(logger: Logger) {
    this.thread = new WorkThread({
      script: new URL('./pdf-worker.js', import.meta.url),
      name: 'pdf',
      silentMs: SILENT_MS,
      memoryMib: MEMORY_MIB,
      refusal: 'the PDF could not be read; retry later',
      onLost: (why, orders) => logger.warn({ why, orders }, 'the PDF thread has exited'),
    });
  }

  /** Returns the PDF and its facts. @throws SERVICE_UNAVAILABLE if the thread exits; any other error for an invalid PDF */
  async read(pdf: Uint8Array<ArrayBuffer>): Promise<{ content: Buffer<ArrayBuffer>; facts: PdfFacts }> {
    const outcome = await this.ask({ do: 'read', pdf });
    return { content: bufferOf(outcome.pdf), facts: outcome.facts! };
  }

  /** Returns the PDF after `archivalPdf`. @throws the errors of `read` */
  async complete(pdf: Uint8Array<ArrayBuffer>, about: About, embedded: Embedded[]): Promise<Buffer> {
    return bufferOf((await this.ask({ do: 'complete', pdf, about, embedded })).pdf);
  }

  onApplicationShutdown(): void {
    this.thread.end('the server is stopping');
  }

  private async ask(order: PdfOrder): Promise<Exclude<PdfOutcome, { fault: Error }>> {
    const outcome = await this.thread.ask(order, [order.pdf.buffer]);
    if ('fault' in outcome) throw outcome.fault;
    return outcome;
  }
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Buffer<ArrayBuffer> =>
  Buffer.from(buffer, byteOffset, byteLength);
