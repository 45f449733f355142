import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { type AllTenants, Database } from '../../database/database.js';
import { AppError } from '../../errors/app-error.js';
import { Logger } from '../../logging/logger.js';
import { within } from '../../tracing/spans.js';
import { SuspendedTenants } from '../../tenants/suspended-tenants.js';
import { EventOutbox } from '../outbox/event-outbox.js';
import { WebhookDirectory } from '../outbox/webhook-directory.js';
import { DISABLE_AFTER_MS } from './limits.js';
import type { WebhookModel as WebhookRow } from '../../../generated/sqlite/models.js';
import { claimWebhooks, dueEvents, dueWebhooks, settleEvents } from './deliveries.queries.js';
import { EventMetrics } from './event-metrics.js';
import { type Attempt, type DueEvent, EventSender } from './event-sender.js';
import { FAILURES_TO_PAUSE, pauseOfWebhook } from './retries.js';

const POLL_MS = 1_000;
const LEASE_MS = 15_000;
/** Webhooks that a node sends to at a time. */
const MAX_SENDING = 100;
/** Events of a webhook that are read, sent and settled together. */
const PAGE = 200;
/** Requests to one webhook at a time. Events of one object go one after another. */
const LANES = 10;

type Due = DueEvent & { subject: string };

/**
 * Sends stored events, on every node. A lease gives a webhook to one node at a time, so that events of one object are sent in their
 * order; the leases of a dead node end within 15 s. Events that were stored on this node are sent at once, others within a second.
 */
@Injectable()
export class EventDeliverer implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly holder = randomUUID();
  private readonly everyTenant: AllTenants;
  private readonly running = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();
  private timers: NodeJS.Timeout[] = [];
  private isLooking = false;
  private isWoken = false;

  constructor(
    private readonly database: Database,
    private readonly directory: WebhookDirectory,
    private readonly sender: EventSender,
    private readonly suspended: SuspendedTenants,
    private readonly metrics: EventMetrics,
    private readonly logger: Logger,
    outbox: EventOutbox,
  ) {
    this.everyTenant = database.acrossTenants('a node sends for every tenant');
    outbox.onStored(() => within(undefined, () => void this.look()));
  }

  onApplicationBootstrap(): void {
    this.timers = [setInterval(() => void this.look(), POLL_MS), setInterval(() => void this.renew(), LEASE_MS / 3)];
  }

  /** Ends running attempts, whose events are sent again. */
  async onModuleDestroy(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    this.stopping.abort();
    await Promise.all(this.running.values());
  }

  /** Begins to send to webhooks with due events. Never rejects. */
  private async look(): Promise<void> {
    this.isWoken = true;
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      while (this.isWoken && !this.stopping.signal.aborted && !this.directory.isEmpty) {
        this.isWoken = false;
        await this.begin();
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'events cannot be read; trying again in 1 s');
    } finally {
      this.isLooking = false;
    }
  }

  private async begin(): Promise<void> {
    const { database, holder } = this;
    const due = await dueWebhooks(database, { holder, limit: 2 * MAX_SENDING });
    const ids = due.filter((id) => !this.running.has(id)).slice(0, MAX_SENDING - this.running.size);
    if (ids.length === 0) return;
    for (const webhook of await claimWebhooks(database, ids, { holder, leaseMs: LEASE_MS })) {
      const run = this.run(webhook).then((isDone) => {
        this.running.delete(webhook.id);
        if (isDone) void this.look(); // else the poll tries again, since what stopped the run may last
      });
      this.running.set(webhook.id, run);
    }
  }

  /** Sends pages of due events until none is left or the webhook pauses. Returns whether that is reached. Never rejects. */
  private async run(webhook: WebhookRow): Promise<boolean> {
    try {
      for (let current = webhook; !this.stopping.signal.aborted && !this.suspended.has(current.tenantId);) {
        const events = await dueEvents(this.database, current, current.failures < FAILURES_TO_PAUSE ? PAGE : 1);
        if (events.length === 0) return true;
        const attempts = await this.sendAll(current, events);
        if (attempts.length === 0) return false;
        await settleEvents(this.database, current, attempts);
        const next = await this.noteHealth(current, attempts);
        if (!next?.active || (next.pausedUntil && next.pausedUntil > new Date())) return true;
        current = next;
      }
      return false;
    } catch (error) {
      this.logger.warn({ err: error, webhookId: webhook.id }, 'events of a webhook could not be sent; trying again in 1 s');
      return false;
    } finally {
      await this.release(webhook.id);
    }
  }

  /** Sends events in lanes, all events of one object in the same lane. Ends early when attempt after attempt fails. */
  private async sendAll(webhook: WebhookRow, events: Due[]): Promise<Attempt[]> {
    const attempts: Attempt[] = [];
    let failures = webhook.failures;
    const isEnough = (): boolean =>
      this.stopping.signal.aborted || (failures > webhook.failures && failures >= FAILURES_TO_PAUSE);
    const sendLane = async (lane: Due[]): Promise<void> => {
      for (const event of lane) {
        if (isEnough()) return;
        const attempt = await this.attempt(webhook, event);
        if (!attempt) return;
        attempts.push(attempt);
        failures = attempt.status === 'DELIVERED' ? 0 : failures + 1;
        if (attempt.isGone || attempt.retryAfterMs > 0) failures = Math.max(failures, FAILURES_TO_PAUSE, webhook.failures + 1);
      }
    };
    await Promise.all(lanesOf(events).map(sendLane));
    return attempts;
  }

  /** Returns nothing if the attempt was not made. */
  private async attempt(webhook: WebhookRow, event: Due): Promise<Attempt | undefined> {
    try {
      const attempt = await this.sender.attempt(webhook, event, { signal: this.stopping.signal });
      this.metrics.attempts.inc({ outcome: attempt.status });
      return attempt;
    } catch (error) {
      if (!this.stopping.signal.aborted && !(error instanceof AppError)) throw error;
      return undefined;
    }
  }

  /** Stores how the receiver does. Returns the webhook after that, or nothing if it was deleted. */
  private async noteHealth(webhook: WebhookRow, attempts: Attempt[]): Promise<WebhookRow | undefined> {
    const data = healthAfter(webhook, attempts);
    const own = this.database.of(webhook.tenantId);
    if (data.active === false) {
      this.logger.warn({ tenantId: webhook.tenantId, webhookId: webhook.id }, 'a webhook was switched off');
      await own.webhook.updateMany({ where: { id: webhook.id, url: webhook.url }, data });
      await this.directory.refresh();
      return undefined;
    }
    const [row] = await own.webhook.updateManyAndReturn({ where: { id: webhook.id, leaseHolder: this.holder }, data });
    return row;
  }

  private async release(id: string): Promise<void> {
    const data = { leaseHolder: null, leaseUntil: null };
    await this.everyTenant.webhook.updateMany({ where: { id, leaseHolder: this.holder }, data }).catch(() => undefined); // the lease ends by itself
  }

  private async renew(): Promise<void> {
    const ids = [...this.running.keys()];
    if (ids.length === 0) return;
    const data = { leaseUntil: new Date(Date.now() + LEASE_MS) };
    await this.everyTenant.webhook
      .updateMany({ where: { id: { in: ids }, leaseHolder: this.holder }, data })
      .catch((error: unknown) => this.logger.warn({ err: error }, 'leases of webhooks could not be renewed'));
  }
}

function lanesOf(events: Due[]): Due[][] {
  const lanes: Due[][] = Array.from({ length: LANES }, () => []);
  const laneOf = new Map<string, Due[]>();
  for (const event of events) {
    let lane = laneOf.get(event.subject);
    if (!lane) laneOf.set(event.subject, (lane = lanes[laneOf.size % LANES]!));
    lane.push(event);
  }
  return lanes;
}

type Health = Partial<WebhookRow>;

/** Decides from the last attempts whether the webhook is healthy, pauses, or is switched off. */
function healthAfter(webhook: WebhookRow, attempts: Attempt[]): Health {
  const now = new Date();
  const gone = attempts.find(({ isGone }) => isGone);
  if (gone) return { active: false, disabledAt: now, lastError: 'The receiver answered with the status 410 (Gone)' };
  const lastDelivered = attempts.findLastIndex(({ status }) => status === 'DELIVERED');
  const since = attempts.slice(lastDelivered + 1);
  if (since.length === 0) return { failures: 0, failingSince: null, lastError: null, pausedUntil: null, lastDeliveredAt: now };
  const isFirst = lastDelivered >= 0 || webhook.failingSince === null;
  const failures = (lastDelivered >= 0 ? 0 : webhook.failures) + since.length;
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
