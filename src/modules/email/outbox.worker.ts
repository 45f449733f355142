import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Log } from '../../common/logging/log.js';
import { Metrics } from '../../common/metrics/metrics.js';
import { type ClaimedMessage, DeliveryService } from './delivery.service.js';
import { LEASE_MS, OutboxService } from './outbox.service.js';
import type { Settlement } from './settlement.js';
import { MailTransport } from './transport/mail-transport.js';

/** More than the connections of the transport, so that the next mails are made while those are busy. */
const LANES = 20;
const BATCH = 50;
/** Sent, and not yet stored what became of it. */
const MAX_UNSETTLED = 200;
const POLL_MS = 2_000;
const LONGEST_ATTEMPT_MS = 10 * 60_000;
const SETTLE_AGAIN_MS = 1_000;
/** While the mail server is down: 1 s, 2, 4, 4 …, and then a few mails find out whether it still is. */
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 4_000;
/** Of the 10 s that a stopping node has. */
const STOP_PATIENCE_MS = 7_000;
/** Of these, for giving back: on a silent database, messages wait for the end of their lease. */
const GIVE_BACK_MS = 2_000;

/**
 * Sends what is in the outbox, on every node. A message is one node's at a time, by a lease that ends with the node; what
 * was accepted here is taken up at once, what others left is found by looking every other second.
 */
@Injectable()
export class OutboxWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly waiting: ClaimedMessage[] = [];
  private readonly busy = new Map<string, Promise<void>>();
  private readonly attempts = new Set<AbortController>();
  private timers: NodeJS.Timeout[] = [];
  private sending = 0;
  private rests = 0;
  private restUntilMs = 0;
  private claiming = false;
  private isWoken = false;
  private running = false;

  constructor(
    private readonly outbox: OutboxService,
    private readonly delivery: DeliveryService,
    private readonly transport: MailTransport,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {
    metrics.beforeReading(() => this.measure());
  }

  onApplicationBootstrap(): void {
    this.running = true;
    this.timers = [setInterval(() => void this.poll(), POLL_MS), setInterval(() => void this.renew(), LEASE_MS / 3)];
    void this.poll();
  }

  /** What is under way may finish; what was not begun goes back. */
  async onModuleDestroy(): Promise<void> {
    this.running = false;
    for (const timer of this.timers) clearInterval(timer);
    await Promise.race([this.giveBack(), setTimeoutAsync(GIVE_BACK_MS, undefined, { ref: false })]);
    const limit = setTimeout(() => this.attempts.forEach((attempt) => attempt.abort()), STOP_PATIENCE_MS);
    await Promise.all(this.busy.values());
    clearTimeout(limit);
    this.transport.close();
  }

  private async giveBack(): Promise<void> {
    const unbegun = this.waiting.splice(0).map(({ email }) => email.id);
    if (unbegun.length > 0) await this.outbox.release(unbegun).catch(() => undefined);
  }

  /** A message of the tenant was put into the outbox by this node. */
  accepted(tenantId: string): void {
    this.outbox.noteDue(tenantId);
    this.metrics.emails.inc({ outcome: 'queued' });
    this.wake();
  }

  private wake(): void {
    this.isWoken = true;
    void this.claim();
  }

  private async poll(): Promise<void> {
    try {
      if (this.isOpen && (await this.outbox.isDue())) this.wake();
    } catch (error) {
      this.log.warn({ err: error }, 'the outbox cannot be read; it is looked at again');
    }
  }

  private async claim(): Promise<void> {
    if (this.claiming) return;
    this.claiming = true;
    try {
      while (this.isOpen && this.isWoken && this.waiting.length < LANES) {
        this.isWoken = false;
        const { messages, mayBeMore } = await this.outbox.claim(BATCH);
        if (mayBeMore) this.isWoken = true;
        this.waiting.push(...messages);
        this.begin();
        if (!this.isOpen) await this.giveBack();
      }
    } catch (error) {
      this.log.warn({ err: error }, 'messages could not be taken from the outbox; it is looked at again');
    } finally {
      this.claiming = false;
    }
  }

  private begin(): void {
    while (this.isOpen && this.sending < LANES && this.busy.size < MAX_UNSETTLED && this.waiting.length > 0) {
      const message = this.waiting.shift()!;
      const done = this.send(message).finally(() => {
        this.busy.delete(message.email.id);
        this.goOn();
      });
      this.busy.set(message.email.id, done);
    }
  }

  private async send(message: ClaimedMessage): Promise<void> {
    const settlement = await this.attempt(message);
    if (settlement.isServerDown) this.rest();
    else this.rests = 0;
    this.goOn();
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

  /** No other mail would be taken, so none is tried: what waits keeps its place. */
  private rest(): void {
    if (Date.now() < this.restUntilMs) return; // found out by several at once
    this.restUntilMs = Date.now() + Math.min(FIRST_REST_MS * 2 ** Math.min(this.rests++, 10), LONGEST_REST_MS);
    void this.giveBack();
  }

  private get isOpen(): boolean {
    return this.running && Date.now() >= this.restUntilMs;
  }

  private goOn(): void {
    this.begin();
    void this.claim();
  }

  /** Until it is stored: what was sent must not be forgotten because the database is away for a moment. */
  private async settle(settlement: Settlement): Promise<void> {
    for (;;) {
      try {
        return await this.outbox.settle(settlement);
      } catch (error) {
        this.log.error({ err: error, emailId: settlement.email.id }, 'what became of a mail could not be stored');
        if (!this.running) return;
        await new Promise((resolve) => setTimeout(resolve, SETTLE_AGAIN_MS));
      }
    }
  }

  private async renew(): Promise<void> {
    const ids = [...this.busy.keys(), ...this.waiting.map(({ email }) => email.id)];
    if (ids.length === 0) return;
    await this.outbox.renew(ids).catch((error: unknown) => this.log.warn({ err: error }, 'leases of mails were not renewed'));
  }

  private count({ email, status, lastError, recipients }: Settlement): void {
    const outcome = { QUEUED: 'deferred', SENT: 'sent', FAILED: 'failed' }[status];
    this.metrics.emails.inc({ outcome });
    const fields = {
      emailId: email.id,
      attempts: email.attempts,
      recipients: recipients.length,
      lastError: lastError ?? undefined,
    };
    if (status !== 'SENT') this.log.warn(fields, status === 'FAILED' ? 'a mail was given up' : 'a mail will be tried again');
  }

  private async measure(): Promise<void> {
    const { count, oldestMs } = await this.outbox.backlog();
    this.metrics.emailQueue.set(count);
    this.metrics.emailQueueAge.set(oldestMs === null ? 0 : Math.max(0, (Date.now() - oldestMs) / 1000));
  }
}
