import { Injectable, type OnApplicationShutdown, Optional } from '@nestjs/common';
import { Logger } from '../../../../common/logging/logger.js';
import { WorkThread } from '../../../../common/workers/work-thread.js';
import { slotsFor } from '../../../../common/scheduling/tenant-semaphore.js';
import { MAX_REPORT_BYTES } from './mail-parts.js';
import type { Report } from './report.js';

/** Time that a mail may take. The slowest mails found take 0.1 s of processor time, and the start of the thread as much. */
const SILENT_MS = 20_000;
/** Memory of the thread, of which a mail takes a few MiB. */
const MEMORY_MIB = 128;

/** Reads reports in a thread: parsing a mail cannot pause. One mail is read at once, and senders take turns. */
@Injectable()
export class ReportReader implements OnApplicationShutdown {
  private readonly slots = slotsFor(1, 1);
  private readonly thread: WorkThread<Uint8Array, Report>;

  constructor(@Optional() logger?: Logger) {
    this.thread = new WorkThread({
      script: new URL('./report-worker.js', import.meta.url),
      name: 'reports',
      silentMs: SILENT_MS,
      memoryMib: MEMORY_MIB,
      refusal: 'The report could not be read now; try again later',
      onLost: (why) => logger?.warn({ why }, 'the thread that reads reports of bounces has ended'),
    });
  }

  /**
   * Reads the beginning of a mail. Mails of one `sender` wait for each other, beside those of others.
   * @throws SERVICE_UNAVAILABLE without a turn within 10 s, or if the thread fails; the reason of the signal
   */
  async read(sender: string, mail: Uint8Array, signal?: AbortSignal): Promise<Report> {
    await this.slots.take(sender, 1, { signal });
    try {
      const read = Uint8Array.from(mail.subarray(0, MAX_REPORT_BYTES)); // of its own memory, which the thread gets
      return await this.thread.ask(read, [read.buffer]);
    } finally {
      this.slots.release(sender, 1);
    }
  }

  onApplicationShutdown(): void {
    this.thread.end('the server is stopping');
  }
}
