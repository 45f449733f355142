import { Injectable } from '@nestjs/common';
import { TenantSemaphore } from '../../bounds/tenant-semaphore.js';
import { Config } from '../../config/config.js';
import { OutboundFault } from '../../outbound/outbound-fault.js';
import { OutboundHttp } from '../../outbound/outbound-http.js';
import { StoredSecrets } from '../../secrets/stored-secrets.js';
import { DELIVERY_TIMEOUT_MS, MAX_ANSWER_KEPT } from './limits.js';
import type { WebhookModel as WebhookRow } from '../../../generated/sqlite/models.js';
import type { EventOutcome } from './deliveries.queries.js';
import { pauseAfter, retryAfterMs } from './retries.js';
import { deliveryHeaders, keyOf } from './signature.js';

const GONE = 410;
/** Requests at a time, of the node and of one tenant. */
const MAX_REQUESTS = 200;
const MAX_REQUESTS_OF_TENANT = 40;

/** An event whose turn it is. */
export interface DueEvent {
  id: string;
  attempts: number;
  body: string;
}

/** The outcome of an attempt. */
export interface Attempt extends EventOutcome {
  isGone: boolean;
  /** How long the receiver asks to be left alone, in milliseconds. */
  retryAfterMs: number;
}

interface Options {
  /** Whether no other attempt follows. */
  isLast?: boolean;
  signal?: AbortSignal;
}

/** Makes one attempt to send an event. */
@Injectable()
export class EventSender {
  private readonly requests = new TenantSemaphore({
    capacity: MAX_REQUESTS,
    share: MAX_REQUESTS_OF_TENANT,
    maxWaitMs: 2 * DELIVERY_TIMEOUT_MS,
    maxWaitingOfTenant: Infinity,
    busy: 'Too many webhooks of the tenant are being called; try again',
  });

  constructor(
    private readonly outbound: OutboundHttp,
    private readonly secrets: StoredSecrets,
    private readonly config: Config,
  ) {}

  /** Makes an attempt. @throws the reason of the signal, and SERVICE_UNAVAILABLE while too many requests run, with nothing sent */
  async attempt(webhook: WebhookRow, event: DueEvent, { isLast = false, signal }: Options = {}): Promise<Attempt> {
    await this.requests.take(webhook.tenantId, 1, { signal });
    try {
      return await this.send(webhook, event, { isLast, signal });
    } finally {
      this.requests.release(webhook.tenantId, 1);
    }
  }

  private async send(webhook: WebhookRow, event: DueEvent, { isLast, signal }: Options): Promise<Attempt> {
    const startedAt = Date.now();
    const attempts = event.attempts + 1;
    const made = { id: event.id, attempts, attemptedAt: new Date(startedAt) };
    const headers = deliveryHeaders(this.config.version, this.signingKeys(webhook), event.id, event.body);
    try {
      const limits = { timeoutMs: DELIVERY_TIMEOUT_MS, maxAnswerBytes: MAX_ANSWER_KEPT };
      const answer = await this.outbound.send({ url: webhook.url, headers, body: event.body, ...limits, signal });
      const answered = { ...made, responseStatus: answer.status, answer: stored(answer.answer), durationMs: answer.durationMs };
      if (answer.status >= 200 && answer.status < 300) return { ...answered, ...DELIVERED };
      const waitMs = retryAfterMs(answer.headers['retry-after']);
      const lastError = `The receiver answered with the status ${answer.status}`;
      return { ...answered, ...failed(attempts, { isLast, waitMs, lastError }), isGone: answer.status === GONE };
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof OutboundFault)) throw error;
      const unanswered = { responseStatus: null, answer: null, durationMs: Date.now() - startedAt, isGone: false };
      return { ...made, ...unanswered, ...failed(attempts, { isLast, waitMs: 0, lastError: error.message }) };
    }
  }

  /** Returns the keys that sign now: the present one, and the one before for as long as they overlap. */
  private signingKeys({ id, secret, previousSecret, previousSecretUntil }: WebhookRow): Buffer[] {
    const isOverlapping = previousSecret !== null && previousSecretUntil !== null && previousSecretUntil > new Date();
    return [secret, ...(isOverlapping ? [previousSecret] : [])].map((text) => keyOf(this.secrets.open('Webhook', id, text)));
  }
}

const DELIVERED = { status: 'DELIVERED', dueAt: null, lastError: null, isGone: false, retryAfterMs: 0 } as const;

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

/** PostgreSQL refuses NUL, and an answer can end within a character. */
const stored = (answer: string): string => answer.replaceAll('\0', '\uFFFD').toWellFormed();
