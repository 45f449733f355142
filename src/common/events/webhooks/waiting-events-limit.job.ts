import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { BackgroundJobs } from '../../jobs/background-jobs.js';
import { Logger } from '../../logging/logger.js';
import { TenantLimitsReader } from '../../tenants/tenant-limits-reader.js';
import { WebhookDirectory } from '../outbox/webhook-directory.js';
import { waitingByWebhook, waitingEvents } from './waiting-events.queries.js';

const EVERY_MS = 60_000;

/**
 * Enforces the limit of queued events. A change is never refused because of its event; instead the webhook with the most queued events
 * is switched off, like one that fails for days. Its queued events stay.
 */
@Injectable()
export class WaitingEventsLimit {
  constructor(
    private readonly database: Database,
    private readonly directory: WebhookDirectory,
    private readonly limits: TenantLimitsReader,
    private readonly logger: Logger,
    jobs: BackgroundJobs,
  ) {
    jobs.add({ name: 'waiting-events', everyMs: EVERY_MS, run: (signal) => this.run(signal) });
  }

  private async run(signal: AbortSignal): Promise<void> {
    for (const tenantId of this.directory.tenants) {
      if (signal.aborted) return;
      const { waitingEvents: limit } = await this.limits.of(tenantId);
      if (limit !== Infinity) await this.keepWithin(tenantId, limit);
    }
  }

  private async keepWithin(tenantId: string, limit: number): Promise<void> {
    let waiting = (await waitingEvents(this.database, [tenantId], limit + 1)).get(tenantId) ?? 0;
    if (waiting <= limit) return;
    const webhooks = await waitingByWebhook(this.database, tenantId, limit + 1);
    waiting = webhooks.reduce((sum, [, count]) => sum + count, 0);
    for (const [id, count] of webhooks) {
      if (waiting <= limit) return;
      await this.switchOff(tenantId, id, limit);
      waiting -= count;
    }
  }

  private async switchOff(tenantId: string, id: string, limit: number): Promise<void> {
    const lastError = `The tenant exceeded its limit of ${limit} queued events, and this webhook had the most of them`;
    const data = { active: false, disabledAt: new Date(), lastError };
    await this.database.of(tenantId).webhook.updateMany({ where: { id, active: true }, data });
    this.logger.warn({ tenantId, webhookId: id }, 'a webhook was switched off because of too many queued events');
    await this.directory.refresh();
  }
}
