import { Injectable, type OnApplicationShutdown, Optional } from '@nestjs/common';
import { Logger } from '../../../../common/logging/logger.js';
import { WorkThread } from '../../../../common/workers/work-thread.js';
import { slotsFor } from '../../../../common/scheduling/tenant-semaphore.js';
import { MAX_REPORT_BYTES } from './mail-parts.js';
import type { Report } from './report.js';

/** Timeout per mail. The slowest known mails take 0.1 s of processor time, and so does starting the thread. */
const SILENT_MS = 20_000;
/** Memory of the thread. A mail takes a few MiB. */
const MEMORY_MIB = 128;

/** Parses reports in a thread, since parsing cannot be paused. Reads one mail at a time, in round-robin order of senders. */
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
      refusal: 'The report could not be read now; retry later',
      onLost: (why) => logger?.warn({ why }, 'the thread that reads bounce reports has ended'),
    });
  }

  /**
   * Parses the beginning of a mail. Queues mails of one `sender` separately from others.
   * @throws SERVICE_UNAVAILABLE without a slot within 10 s, or if the thread fails; the reason of the signal
   */
  async read(sender: string, mail: Uint8Array, signal?: AbortSignal): Promise<Report> {
    await this.slots.take(sender, 1, { signal });
    try {
      const read = Uint8Array.from(mail.subarray(0, MAX_REPORT_BYTES)); // copied, to transfer the memory to the thread
      return await this.thread.ask(read, [read.buffer]);
    } finally {
      this.slots.release(sender, 1);
    }
  }

  onApplicationShutdown(): void {
    this.thread.end('the server is stopping');
  }
}
