import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppError } from '../../../common/errors/app-error.js';
import { inTime } from '../../../common/waiting/in-time.js';
import { placesFor } from '../../../common/work/places.js';
import { MAX_REPORT_BYTES } from './mail-parts.js';
import type { Report } from './report.js';

/** How long a mail may take. The slowest mails found take 0.1 s of processor time, and the start of the thread as much. */
const READ_MS = 20_000;
/** Memory of the thread, of which a mail takes a few MiB. */
const MAX_HEAP_MIB = 128;

/**
 * Reads reports in a thread, which is started for the first: parsing a mail cannot pause, and would hold the event loop. One mail is read
 * at a time, and those who send mails take turns.
 */
@Injectable()
export class ReportReader implements OnApplicationShutdown {
  private readonly places = placesFor(1, 1);
  private worker?: Worker;

  /**
   * Reads the beginning of a mail. Mails of one `sender` wait for each other, beside those of others.
   * @throws SERVICE_UNAVAILABLE without a turn within 10 s, or if the thread fails; the reason of the signal
   */
  async read(sender: string, mail: Uint8Array, signal?: AbortSignal): Promise<Report> {
    await this.places.take(sender, 1, { signal });
    try {
      return await this.ask(mail);
    } finally {
      this.places.release(sender, 1);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.worker?.terminate();
  }

  private async ask(mail: Uint8Array): Promise<Report> {
    const worker = (this.worker ??= this.start());
    const read = Uint8Array.from(mail.subarray(0, MAX_REPORT_BYTES)); // of its own memory, which the thread gets
    worker.ref();
    try {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage(read, [read.buffer]);
      const [report] = (await inTime(once(worker, 'message'), READ_MS, 'the thread did not answer')) as [Report];
      return report;
    } catch (error) {
      this.worker = undefined;
      void worker.terminate();
      throw new AppError('SERVICE_UNAVAILABLE', 'The report could not be read now; try again later', { cause: error });
    } finally {
      worker.unref();
    }
  }

  private start(): Worker {
    const worker = new Worker(new URL('./report-worker.js', import.meta.url), {
      name: 'reports',
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
    });
    // A thread that fails while it is idle is replaced with the next mail.
    worker.on('error', () => undefined).on('exit', () => this.worker === worker && (this.worker = undefined));
    return worker;
  }
}
