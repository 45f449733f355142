import { Injectable } from '@nestjs/common';
import { TenantSemaphore } from '../../scheduling/tenant-semaphore.js';
import { Config } from '../../config/config.js';
import { OutboundFault, OutboundTimeout } from '../../outbound/fault-texts.js';
import { OutboundHttp } from '../../outbound/outbound-http.js';
import { StoredSecrets } from '../../signing/stored-secrets.js';
import { DELIVERY_TIMEOUT_MS, MAX_ANSWER_KEPT, MAX_WEBHOOKS } from './limits.js';
import type { WebhookModel as WebhookRow } from '../../../generated/sqlite/models.js';
import type { EventOutcome } from './deliveries.queries.js';
import { pauseAfter, retryAfterMs } from './retries.js';
import { deliveryHeaders, keyOf } from './signature.js';
import { signingSecrets } from './webhook-secrets.js';

const GONE = 410;
/** Maximum number of concurrent tests, of the node and of one tenant. */
const MAX_TESTS = 20;
const MAX_TESTS_OF_TENANT = 4;

/** Event to send now. */
export interface DueEvent {
  id: string;
  attempts: number;
  body: string;
}

/** Outcome of an attempt. */
export interface Attempt extends EventOutcome {
  isGone: boolean;
  isTimeout: boolean;
  /** Pause requested by the receiver, in milliseconds. */
  retryAfterMs: number;
}

interface Options {
  /** True if this is the final attempt. */
  isLast?: boolean;
  signal?: AbortSignal;
}

/** Sends events, one attempt per call. */
@Injectable()
export class EventSender {
  private readonly tests = new TenantSemaphore({
    capacity: MAX_TESTS,
    share: MAX_TESTS_OF_TENANT,
    maxWaitMs: 2 * DELIVERY_TIMEOUT_MS,
    maxWaitingOfTenant: MAX_WEBHOOKS,
    busy: 'Too many webhooks of the tenant are being tested; try again',
  });

  constructor(
    private readonly outbound: OutboundHttp,
    private readonly secrets: StoredSecrets,
    private readonly config: Config,
  ) {}

  /** Sends a ping once. @throws SERVICE_UNAVAILABLE, with nothing sent, if too many requests are running */
  async test(webhook: WebhookRow, event: DueEvent): Promise<Attempt> {
    await this.tests.take(webhook.tenantId, 1);
    try {
      return await this.attempt(webhook, event, { isLast: true });
    } finally {
      this.tests.release(webhook.tenantId, 1);
    }
  }

  /** Sends an event once. @throws the reason of the signal; SERVICE_UNAVAILABLE, with nothing sent, if too many requests are running */
  async attempt(webhook: WebhookRow, event: DueEvent, { isLast, signal }: Options = {}): Promise<Attempt> {
    const attempts = event.attempts + 1;
    const keys = signingSecrets(this.secrets, webhook).map(keyOf);
    let startedAt = Date.now();
    const headers = (): Record<string, string> => {
      startedAt = Date.now();
      return deliveryHeaders(this.config.version, keys, event.id, event.body);
    };
    const made = () => ({ id: event.id, attempts, attemptedAt: new Date(startedAt), isGone: false, isTimeout: false });
    try {
      const limits = { timeoutMs: DELIVERY_TIMEOUT_MS, maxAnswerBytes: MAX_ANSWER_KEPT };
      const to = { tenantId: webhook.tenantId, url: webhook.url };
      const answer = await this.outbound.send({ ...to, headers, body: event.body, ...limits, signal });
      const answered = { ...made(), responseStatus: answer.status, answer: stored(answer.answer), durationMs: answer.durationMs };
      if (answer.status >= 200 && answer.status < 300) return { ...answered, ...DELIVERED };
      const waitMs = retryAfterMs(answer.headers['retry-after']);
      const lastError = `The receiver answered with the status ${answer.status}`;
      return { ...answered, ...failed(attempts, { isLast, waitMs, lastError }), isGone: answer.status === GONE };
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof OutboundFault)) throw error;
      const unanswered = { responseStatus: null, answer: null, durationMs: Date.now() - startedAt };
      const failure = failed(attempts, { isLast, waitMs: 0, lastError: error.message });
      return { ...made(), ...unanswered, ...failure, isTimeout: error instanceof OutboundTimeout };
    }
  }
}

const DELIVERED = { status: 'DELIVERED', dueAt: null, lastError: null, retryAfterMs: 0 } as const;

interface Failure {
  isLast: boolean | undefined;
  waitMs: number;
  lastError: string;
}

function failed(attempts: number, { isLast, waitMs, lastError }: Failure) {
  const pauseMs = isLast ? undefined : pauseAfter(attempts);
  const next = pauseMs === undefined ? null : new Date(Date.now() + Math.max(pauseMs, waitMs));
  return { status: next ? 'PENDING' : 'FAILED', dueAt: next, lastError, retryAfterMs: waitMs } as const;
}

/** Replaces what PostgreSQL refuses: NUL, and half a character at the end of a truncated answer. */
const stored = (answer: string): string => answer.replaceAll('\0', '\uFFFD').toWellFormed();
