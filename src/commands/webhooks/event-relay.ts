import { setTimeout } from 'node:timers/promises';
import { MAX_CONFIRMED } from '../../common/events/delivery/limits.js';
import { columns, print, say } from '../../common/base/printable.js';
import { backOffMs } from '../../common/jobs/back-off.js';
import type { Forwarder } from './forwarder.js';
import type { PolledWebhook, WaitingEvent } from './polled-webhook.js';
import { Refusal } from './served-api.js';

const LOOK_MS = 1_000;
const BACK_OFF = { first: 1_000, longest: 30_000 };

interface Waiting extends WaitingEvent {
  failures: number;
  dueAt: number;
}

/** Forwards the events of one webhook to a URL, oldest first, until a signal aborts it. */
export class EventRelay {
  private waiting: Waiting[] = [];
  /** Events that were forwarded but not yet confirmed to the server. */
  private readonly unconfirmed = new Set<string>();
  /** Time until which nothing is sent because the URL does not respond. */
  private downUntil = 0;
  private failures = 0;

  constructor(
    private readonly webhook: PolledWebhook,
    private readonly forwarder: Forwarder,
    private readonly signal: AbortSignal,
  ) {}

  /** Runs until the signal aborts. @throws Refusal for a removed webhook, and for every refusal but overload */
  async run(): Promise<void> {
    for (let faults = 0; !this.signal.aborted;) {
      try {
        await this.look();
        faults = 0;
        await this.sleep(LOOK_MS);
      } catch (error) {
        if (this.signal.aborted) return;
        if (error instanceof Refusal && !/^(SERVICE_UNAVAILABLE|RATE_LIMITED|INTERNAL_SERVER_ERROR)$/.test(error.code))
          throw error;
        if (faults === 0) say(`${this.webhook.service}: ${(error as Error).message}; retrying`);
        await this.sleep(backOffMs(faults++, BACK_OFF));
      }
    }
  }

  private async look(): Promise<void> {
    const isKnown = (id: string): boolean => this.unconfirmed.has(id) || this.waiting.some((one) => one.id === id);
    const fresh = await this.webhook.fetch(isKnown, this.signal);
    this.waiting.push(...fresh.map((event) => ({ ...event, failures: 0, dueAt: 0 })));
    try {
      await this.sendDue();
    } finally {
      await this.confirm();
    }
  }

  private async sendDue(): Promise<void> {
    const due = this.waiting.filter(({ dueAt }) => dueAt <= Date.now());
    for (const event of due) {
      if (this.downUntil > Date.now()) return;
      await this.send(event);
    }
  }

  private async send(event: Waiting): Promise<void> {
    const { status, fault, durationMs } = await this.forwarder.send(event, this.signal);
    const isTaken = status !== undefined && status >= 200 && status < 300;
    let outcome = `${status ?? fault} in ${durationMs} ms`;
    if (isTaken) {
      this.waiting = this.waiting.filter((one) => one !== event);
      this.unconfirmed.add(event.id);
      this.failures = 0;
    } else {
      const pauseMs = backOffMs(status === undefined ? this.failures++ : event.failures++, BACK_OFF);
      if (status === undefined) this.downUntil = Date.now() + pauseMs;
      else event.dueAt = Date.now() + pauseMs;
      outcome += `, retry in ${pauseMs / 1_000} s`;
    }
    print(columns(new Date().toISOString(), event.type, event.subject, outcome));
  }

  private async confirm(): Promise<void> {
    const ids = [...this.unconfirmed].slice(0, MAX_CONFIRMED);
    if (ids.length === 0) return;
    await this.webhook.confirm(ids);
    for (const id of ids) this.unconfirmed.delete(id);
  }

  private async sleep(ms: number): Promise<void> {
    await setTimeout(ms, undefined, { signal: this.signal }).catch(() => undefined);
  }
}
