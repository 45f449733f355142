import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DuePoll } from '../../../common/database/due-poll.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { type Sql, sql } from '../../../common/database/sql/sql.js';
import { Logger } from '../../../common/logging/logger.js';
import { Metrics } from '../../../common/metrics/metrics.js';
import { within } from '../../../common/tracing/spans.js';
import { EmailMetrics } from './email-metrics.js';
import { type ClaimedMessage, EmailDeliveryService } from './email-delivery.service.js';
import { LEASE_MS, OutboxService } from './outbox.service.js';
import type { Settlement } from './settlement.js';
import { MailTransport } from '../transport/mail-transport.js';
import { replyCodes } from '../transport/server-reply.js';
import { backOffMs } from '../../../common/jobs/back-off.js';

/** Concurrent attempts, more than the connections of the transport: mails are composed while all connections are busy. */
const MAX_SENDING = 20;
const MAILS_PER_CLAIM = 50;
/** Maximum messages with a started attempt and no stored outcome. */
const MAX_UNSETTLED = 200;
const LONGEST_ATTEMPT_MS = 10 * 60_000;
const SETTLE_AGAIN_MS = 1_000;
/** Pauses while the mail server is down: 1 s, 2 s, then 4 s each. Each is followed by an attempt with a few mails. */
const BACK_OFF = { first: 1_000, longest: 4_000 };
/** Time that a shutdown waits for running attempts, of 10 s in total. */
const STOP_PATIENCE_MS = 7_000;
/** Time for a shutdown to release unsent messages. If the database is down, they wait until their leases expire. */
const RELEASE_MS = 2_000;

const isDue = (dialect: Dialect): Sql =>
  sql`EXISTS (SELECT 1 FROM "Email" WHERE "status" = 'QUEUED' AND "dueAt" <= ${dialect.time(new Date())})`;

/** Claimed message that waits for a slot. Once its lease expires, another node may send it. */
interface Claimed {
  message: ClaimedMessage;
  /** Expiry of the lease on the monotonic clock, which advances while this process is suspended. */
  leaseEndsMs: number;
}

/**
 * Sends the messages in the outbox, on every node. Leases each message to one node; leases of a dead node expire within a minute. Claims
 * messages accepted on this node immediately. A poll every second finds messages left by other nodes.
 */
@Injectable()
export class OutboxJob implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly claimed: Claimed[] = [];
  private readonly busy = new Map<string, Promise<void>>();
  private readonly attempts = new Set<AbortController>();
  private timer: NodeJS.Timeout | undefined;
  private sending = 0;
  private backOffs = 0;
  private backOffUntilMs = 0;
  private claiming = false;
  private isWoken = false;
  private running = false;

  constructor(
    private readonly outbox: OutboxService,
    private readonly delivery: EmailDeliveryService,
    private readonly transport: MailTransport,
    registry: Metrics,
    private readonly metrics: EmailMetrics,
    private readonly logger: Logger,
    poll: DuePoll,
  ) {
    poll.whenDue(isDue, (due) => due && this.isOpen && this.pollFound());
    registry.beforeReading(() => this.measure());
  }

  onApplicationBootstrap(): void {
    this.running = true;
    this.timer = setInterval(() => void this.renew(), LEASE_MS / 3);
  }

  /** Waits for running attempts, and releases messages without an attempt. */
  async onModuleDestroy(): Promise<void> {
    this.running = false;
    clearInterval(this.timer);
    await Promise.race([this.giveBack(), setTimeoutAsync(RELEASE_MS, undefined, { ref: false })]);
    const limit = setTimeout(() => this.attempts.forEach((attempt) => attempt.abort()), STOP_PATIENCE_MS);
    await Promise.all(this.busy.values());
    clearTimeout(limit);
    this.transport.close();
  }

  private async giveBack(): Promise<void> {
    const unbegun = this.claimed.splice(0).map(({ message }) => message.email.id);
    if (unbegun.length > 0) await this.outbox.release(unbegun).catch(() => undefined);
  }

  /** Called after this node has stored messages of a tenant. The poll finds scheduled ones. */
  accepted(tenantId: string, count: number, { areDue }: { areDue: boolean }): void {
    this.metrics.emails.inc({ outcome: 'queued' }, count);
    if (areDue) this.due(tenantId);
  }

  /** Called when messages of a tenant have become due. */
  due(tenantId: string): void {
    this.outbox.markDue(tenantId);
    within(undefined, () => this.wake()); // outside this trace: a claim includes messages of other callers
  }

  /** Sends due messages now, without waiting for the next poll or the end of a pause. */
  async pollNow(): Promise<void> {
    this.backOffUntilMs = 0;
    this.pollFound();
  }

  private pollFound(): void {
    this.outbox.forgetDueTenants();
    this.wake();
  }

  private wake(): void {
    this.isWoken = true;
    void this.claim();
  }

  private async claim(): Promise<void> {
    if (this.claiming) return;
    this.claiming = true;
    try {
      while (this.isOpen && this.isWoken && this.claimed.length < MAX_SENDING) {
        this.isWoken = false;
        const leaseEndsMs = performance.now() + LEASE_MS;
        const { messages, mayBeMore } = await this.outbox.claim(MAILS_PER_CLAIM);
        if (mayBeMore) this.isWoken = true;
        this.claimed.push(...messages.map((message) => ({ message, leaseEndsMs })));
        this.begin();
        if (!this.isOpen) await this.giveBack();
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'no messages could be claimed from the outbox; retrying in 1 s');
    } finally {
      this.claiming = false;
    }
  }

  private begin(): void {
    while (this.isOpen && this.sending < MAX_SENDING && this.busy.size < MAX_UNSETTLED && this.claimed.length > 0) {
      const { message, leaseEndsMs } = this.claimed.shift()!;
      if (performance.now() >= leaseEndsMs) continue;
      const done = this.send(message).finally(() => {
        this.busy.delete(message.email.id);
        this.continueWork();
      });
      this.busy.set(message.email.id, done);
    }
  }

  private async send(message: ClaimedMessage): Promise<void> {
    const settlement = await this.attempt(message);
    if (settlement.isServerDown) this.backOff();
    else this.backOffs = 0;
    this.continueWork();
    this.count(settlement);
    await this.settle(settlement);
  }

  private async attempt(message: ClaimedMessage): Promise<Settlement> {
    const attempt = new AbortController();
    const limit = setTimeout(() => attempt.abort(), LONGEST_ATTEMPT_MS);
    this.attempts.add(attempt);
    this.sending++;
    try {
      return await this.delivery.attempt(message, attempt.signal);
    } finally {
      this.sending--;
      this.attempts.delete(attempt);
      clearTimeout(limit);
    }
  }

  /** Pauses all sending while the server accepts no mail, and releases the claimed messages. */
  private backOff(): void {
    if (performance.now() < this.backOffUntilMs) return; // another attempt has already started this pause
    this.backOffUntilMs = performance.now() + backOffMs(this.backOffs++, BACK_OFF);
    void this.giveBack();
  }

  private get isOpen(): boolean {
    return this.running && performance.now() >= this.backOffUntilMs;
  }

  private continueWork(): void {
    this.begin();
    void this.claim();
  }

  /** Stores the outcome. Retries until it is stored: a short database outage must not cause a duplicate mail. */
  private async settle(settlement: Settlement): Promise<void> {
    for (;;) {
      try {
        return await this.outbox.settle(settlement);
      } catch (error) {
        this.logger.error({ err: error, emailId: settlement.email.id }, 'the outcome of a mail could not be stored');
        if (!this.running) return;
        await new Promise((resolve) => setTimeout(resolve, SETTLE_AGAIN_MS));
      }
    }
  }

  private async renew(): Promise<void> {
    const waiting = this.claimed;
    const ids = [...this.busy.keys(), ...waiting.map(({ message }) => message.email.id)];
    if (ids.length === 0) return;
    try {
      const leaseEndsMs = performance.now() + LEASE_MS;
      const held = new Set(await this.outbox.renew(ids));
      for (const one of waiting) one.leaseEndsMs = held.has(one.message.email.id) ? leaseEndsMs : 0;
    } catch (error) {
      this.logger.warn({ err: error }, 'leases of mails could not be renewed');
    }
  }

  private count({ email, status, lastError, recipients }: Settlement): void {
    const outcome = { QUEUED: 'deferred', SENT: 'sent', FAILED: 'failed' }[status];
    this.metrics.emails.inc({ outcome });
    const fields = {
      emailId: email.id,
      attempts: email.attempts,
      recipients: recipients.length,
      replies: replyCodes(lastError),
    };
    if (status !== 'SENT') this.logger.warn(fields, status === 'FAILED' ? 'a mail was given up' : 'a mail will be retried');
  }

  private async measure(): Promise<void> {
    const { count, oldestMs } = await this.outbox.backlog();
    this.metrics.emailQueue.set(count);
    this.metrics.emailQueueAge.set(oldestMs === null ? 0 : Math.max(0, (Date.now() - oldestMs) / 1000));
  }
}
