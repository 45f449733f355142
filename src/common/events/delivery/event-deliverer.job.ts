import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { raw } from '../../database/sql/sql.js';
import { AppError } from '../../base/app-error.js';
import type { DueWanted } from '../../jobs/due-rows.js';
import type { LeasedRows } from '../../jobs/leased-rows.js';
import { LeasedWork } from '../../jobs/leased-work.js';
import { Logger } from '../../logging/logger.js';
import { TenantScheduler } from '../../scheduling/tenant-scheduler.js';
import { within } from '../../tracing/spans.js';
import { SuspendedTenants } from '../../tenants/suspended-tenants.js';
import { EventOutbox } from '../outbox/event-outbox.js';
import { WebhookDirectory } from '../outbox/webhook-directory.js';
import { DISABLE_AFTER_MS } from './limits.js';
import type { WebhookModel as WebhookRow } from '../../../generated/sqlite/models.js';
import { dueEvents, dueWebhooks, storeOutcomes } from './deliveries.queries.js';
import { EventMetrics } from './event-metrics.js';
import { type Pace, type Sent, sendInLanes } from './event-lanes.js';
import { type Attempt, type DueEvent, EventSender } from './event-sender.js';
import { FAILURES_TO_PAUSE, pauseOfWebhook } from './retries.js';

/** Maximum number of webhooks that a node sends to concurrently, in total and for one tenant. Each has a request of its own. */
const MAX_SENDING = 100;
const MAX_SENDING_OF_TENANT = 20;
/** Maximum number of additional concurrent requests, of the node and of one tenant. */
const MAX_FURTHER = 100;
const MAX_FURTHER_OF_TENANT = 20;
/** Number of events of a webhook that are read, sent and stored together. */
const PAGE = 200;
/** Maximum number of concurrent requests to one webhook. */
const MAX_REQUESTS = 10;

type Due = DueEvent & { subject: string };

/**
 * Sends stored events, on every node. A lease assigns a webhook to one node, so events of one object are sent in order. Events
 * stored on this node are sent at once, others within a second. Sends interrupted by a shutdown are repeated.
 */
@Injectable()
export class EventDeliverer implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly webhooks: LeasedRows<WebhookRow>;
  private readonly further = new TenantScheduler({ capacity: MAX_FURTHER, share: MAX_FURTHER_OF_TENANT });

  constructor(
    private readonly database: Database,
    private readonly directory: WebhookDirectory,
    private readonly sender: EventSender,
    private readonly suspended: SuspendedTenants,
    private readonly metrics: EventMetrics,
    private readonly logger: Logger,
    outbox: EventOutbox,
    leased: LeasedWork,
  ) {
    const work = {
      what: 'webhook',
      most: MAX_SENDING,
      share: MAX_SENDING_OF_TENANT,
      model: database.acrossTenants('a node sends for every tenant').webhook,
      due: (wanted: DueWanted) => dueWebhooks(database, wanted),
      run: (webhook: WebhookRow, signal: AbortSignal) => this.run(webhook, signal),
      mayBeDue: () => raw(directory.isEmpty ? '1 = 0' : '1 = 1'),
    };
    this.webhooks = leased.on<WebhookRow>(work);
    outbox.onStored(() => within(undefined, () => void this.webhooks.look()));
  }

  onApplicationBootstrap(): void {
    this.webhooks.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.webhooks.stop();
  }

  /** Sends pages of due events until none is left or the webhook pauses. Returns whether either was reached. */
  private async run(webhook: WebhookRow, signal: AbortSignal): Promise<boolean> {
    const pace = { width: 1, most: MAX_REQUESTS };
    for (let current = webhook; !signal.aborted && !this.suspended.has(current.tenantId);) {
      const events = await dueEvents(this.database, current, current.failures < FAILURES_TO_PAUSE ? PAGE : 1);
      if (events.length === 0) return true;
      const attempts = await this.sendAll(current, events, pace, signal);
      if (attempts.length === 0) return false;
      await storeOutcomes(this.database, current, attempts);
      const next = await this.noteHealth(current, attempts);
      if (!next?.active || (next.pausedUntil && next.pausedUntil > new Date())) return true;
      current = next;
    }
    return false;
  }

  /** Sends events, those of one object one after another. Stops early after a timeout, or after several failures in a row. */
  private async sendAll(webhook: WebhookRow, events: Due[], pace: Pace, signal: AbortSignal): Promise<Attempt[]> {
    const { tenantId } = webhook;
    const attempts: Attempt[] = [];
    let failures = webhook.failures;
    const send = async (event: Due): Promise<Sent> => {
      const attempt = await this.attempt(webhook, event, signal);
      if (!attempt) return 'STOP';
      attempts.push(attempt);
      failures = attempt.status === 'DELIVERED' ? 0 : failures + failuresOf(attempt);
      if (attempt.isGone || attempt.retryAfterMs > 0) failures = Math.max(failures, FAILURES_TO_PAUSE);
      if (signal.aborted || (failures > webhook.failures && failures >= FAILURES_TO_PAUSE)) return 'STOP';
      return attempt.status === 'DELIVERED' ? 'DELIVERED' : 'FAILED';
    };
    await sendInLanes(events, pace, (event, running) => {
      if (running === 0) return send(event);
      if (!this.further.tryTake(tenantId, 1)) return undefined;
      return send(event).finally(() => this.further.release(tenantId, 1));
    });
    return attempts;
  }

  /** Returns undefined if the attempt was not made. */
  private async attempt(webhook: WebhookRow, event: Due, signal: AbortSignal): Promise<Attempt | undefined> {
    try {
      const attempt = await this.sender.attempt(webhook, event, { signal });
      this.metrics.attempts.inc({ outcome: attempt.status });
      return attempt;
    } catch (error) {
      if (!signal.aborted && !(error instanceof AppError)) throw error;
      return undefined;
    }
  }

  /** Stores the health of the receiver. Returns the updated webhook, or undefined if it was deleted. */
  private async noteHealth(webhook: WebhookRow, attempts: Attempt[]): Promise<WebhookRow | undefined> {
    const data = healthAfter(webhook, attempts);
    const own = this.database.of(webhook.tenantId);
    if (data.active === false) {
      this.logger.warn({ tenantId: webhook.tenantId, webhookId: webhook.id }, 'a webhook was switched off');
      await own.webhook.updateMany({ where: { id: webhook.id, url: webhook.url }, data });
      await this.directory.refresh();
      return undefined;
    }
    const [row] = await own.webhook.updateManyAndReturn({ where: { id: webhook.id, leaseHolder: this.webhooks.holder }, data });
    return row;
  }
}

/** Counts a failed attempt. A timeout counts as several, since it occupied a request for so long. */
const failuresOf = ({ isTimeout }: Attempt): number => (isTimeout ? FAILURES_TO_PAUSE : 1);

type Health = Partial<WebhookRow>;

/** Derives the health of a webhook from the last attempts: healthy, paused or switched off. */
function healthAfter(webhook: WebhookRow, attempts: Attempt[]): Health {
  const now = new Date();
  const gone = attempts.find(({ isGone }) => isGone);
  if (gone) return { active: false, disabledAt: now, lastError: 'The receiver answered with the status 410 (Gone)' };
  const lastDelivered = attempts.findLastIndex(({ status }) => status === 'DELIVERED');
  const since = attempts.slice(lastDelivered + 1);
  if (since.length === 0) return { failures: 0, failingSince: null, lastError: null, pausedUntil: null, lastDeliveredAt: now };
  const isFirst = lastDelivered >= 0 || webhook.failingSince === null;
  const failures = since.reduce((sum, attempt) => sum + failuresOf(attempt), lastDelivered >= 0 ? 0 : webhook.failures);
  const failingSince = isFirst ? since[0]!.attemptedAt : webhook.failingSince!;
  const failing = { failures, failingSince, lastError: since.at(-1)!.lastError };
  if (now.getTime() - failingSince.getTime() > DISABLE_AFTER_MS) return { ...failing, active: false, disabledAt: now };
  const askedMs = Math.max(...since.map((attempt) => attempt.retryAfterMs));
  const pauseMs = Math.max(askedMs, failures >= FAILURES_TO_PAUSE ? pauseOfWebhook(failures) : 0);
  return {
    ...failing,
    pausedUntil: pauseMs > 0 ? new Date(now.getTime() + pauseMs) : null,
    ...(lastDelivered >= 0 && { lastDeliveredAt: now }),
  };
}
