import { Injectable } from '@nestjs/common';
import { sql } from '../../../common/database/sql/sql.js';
import { BackgroundJobs } from '../../../common/jobs/background-jobs.js';
import { Bus, BusDown } from '../bus/bus.js';
import { RecipientEventsService } from './recipient-events.service.js';

const EVERY_MS = 5_000;

/** Reports recipients that went offline with their node. */
@Injectable()
export class LostRecipients {
  constructor(
    private readonly bus: Bus,
    private readonly events: RecipientEventsService,
    jobs: BackgroundJobs,
  ) {
    const due = () => (this.events.tenantIds.length > 0 ? sql`1 = 1` : sql`1 = 0`);
    jobs.add({ name: 'lost-recipients', everyMs: EVERY_MS, due, run: (signal) => this.tell(signal) });
  }

  /** Reports lost recipients. Does nothing while the bus is down. */
  private async tell(signal: AbortSignal): Promise<void> {
    for (const tenantId of this.events.tenantIds) {
      if (signal.aborted) return;
      try {
        this.events.wentOffline(tenantId, await this.bus.lostRecipients(tenantId));
      } catch (error) {
        if (error instanceof BusDown) return;
        throw error;
      }
    }
  }
}
