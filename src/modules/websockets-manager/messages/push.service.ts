import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { type KeyColumns, keyOf } from '../../../common/idempotency/idempotency-key.js';
import { once } from '../../../common/idempotency/once.js';
import { timeOfId, uuidv7 } from '../../../common/base/ids.js';
import { OperationKeysService } from '../../../common/idempotency/operation-keys.service.js';
import { currentTrace, SpanKind, traced } from '../../../common/tracing/spans.js';
import { PushMetrics } from '../metrics/push-metrics.js';
import { checkedFallback, type CheckedFallback } from '../fallbacks/fallback.inputs.js';
import { FallbacksService, type PreparedFallback, waitingFallbacks } from '../fallbacks/fallbacks.service.js';
import { checkExpiry, checkPush, distinctRecipients, type MessageInput } from './message.inputs.js';
import { toMessage } from './message-row.js';
import { MessageStatus, TRANSITIONS } from './message-states.js';
import { messagesWithIds } from './messages.queries.js';
import type { Message, PushMessageRecipientResult, PushMessageResult } from './message.model.js';
import type { NewPush } from './push.queries.js';
import { PushRouterService } from './push-router.service.js';
import { PushWriterService } from './push-writer.service.js';
import { INBOX_DAYS } from '../models/limits.js';
import { fullName, recipientKey } from '../models/recipient-key.js';
import { isOnline, type Online, OnlineRecipientsService } from '../recipients/online-recipients.service.js';
import { WaitingQuotaService } from './waiting-quota.service.js';

const OPERATION = 'pushMessage';

/** Result of a push as stored with its idempotency key. */
type StoredResult = { id: string; missed: boolean }[];

type MessageContent = Pick<Message, 'message' | 'topic' | 'expiresAt' | 'inbox'>;

/** Message with the outcome of its push. `missed`: the recipient is not connected, and the message cannot wait. */
interface PushedMessage extends Message {
  missed: boolean;
}

/** Pushes to named recipients. Stores messages before sending them. */
@Injectable()
export class PushService {
  constructor(
    private readonly database: Database,
    private readonly online: OnlineRecipientsService,
    private readonly writer: PushWriterService,
    private readonly keys: OperationKeysService,
    private readonly router: PushRouterService,
    private readonly quota: WaitingQuotaService,
    private readonly metrics: PushMetrics,
    private readonly fallbacks: FallbacksService,
  ) {}

  push(caller: Caller, input: MessageInput): Promise<PushMessageResult> {
    return traced('accept push', { kind: SpanKind.PRODUCER, attributes: { 'platform.tenant.id': caller.tenantId } }, () =>
      this.accept(caller, input),
    );
  }

  private async accept(caller: Caller, input: MessageInput): Promise<PushMessageResult> {
    checkPush(input);
    const recipients = distinctRecipients(input);
    const { message, topic = null, expiresAt = null, idempotencyKey } = input;
    const inbox = input.inbox ?? false;
    const { tenantId } = caller;
    const fallback = input.fallback ? checkedFallback(input.fallback, input.recipients, inbox) : undefined;
    const content = { message, topic, inbox, expiresAt: inbox && expiresAt === null ? defaultExpiry() : expiresAt, fallback };
    const fields = [recipients, message, topic, expiresAt?.getTime() ?? null, ...(inbox ? ['inbox'] : [])];
    const key = keyOf(idempotencyKey, input.fallback ? [...fields, input.fallback] : fields);
    return once('push', key, {
      find: (used) => this.keys.find<StoredResult>({ tenantId, operation: OPERATION }, used),
      first: () => this.first(caller, recipients, content, key),
      repeat: (stored) => this.repeat(tenantId, stored, input),
    });
  }

  /** Stores and sends messages. Returns undefined if the idempotency key was already taken. */
  private async first(
    caller: Caller,
    recipients: string[],
    content: MessageContent & { fallback: CheckedFallback | undefined },
    key: KeyColumns,
  ): Promise<PushMessageResult | undefined> {
    const { topic, expiresAt } = content;
    const { tenantId } = caller;
    checkExpiry(expiresAt);
    const fallback = content.fallback && (await this.fallbacks.prepare(caller, content.fallback));
    // Look up recipients of a waiting message after storing it: a recipient that connects in between reads it from the backlog.
    const online = expiresAt === null ? await this.online.find(tenantId, recipients, topic) : undefined;
    const made = recipients.map((recipient) => newMessage(recipient, content, online));
    const waiting = (expiresAt === null ? 0 : made.length) + (fallback ? made.length : 0);
    const isFirst = await this.quota.within(tenantId, waiting, () => this.store(tenantId, made, key, fallback));
    if (!isFirst) return undefined;
    this.metrics.pushedMessages.inc({ kind: 'recipient' }, made.length);
    const sent = made.filter(({ missed }) => !missed);
    // Connections that opened before the messages were stored may not have read them among the last ones of their topics.
    const known = topic === null ? online : undefined;
    // A repeat may overtake this push.
    await this.send(tenantId, sent, { online: known, isRepeated: key.idempotencyKey !== null || undefined });
    if (fallback) for (const one of made) one.fallbackOf = waitingFallbacks(fallback);
    return resultOf(made);
  }

  /** Stores the messages. Returns false if the idempotency key was already taken. */
  private async store(
    tenantId: string,
    made: PushedMessage[],
    key: KeyColumns,
    fallback: PreparedFallback | undefined,
  ): Promise<boolean> {
    const rows = rowsOf(tenantId, made);
    const write = async (tx: TenantTransaction) => {
      await this.writer.storeWithin(tx, rows);
      if (fallback) await this.fallbacks.storeWithin(tx, fallback, made);
    };
    if (key.idempotencyKey !== null) {
      const stored: StoredResult = made.map(({ id, missed }) => ({ id, missed }));
      return this.keys.first({ tenantId, operation: OPERATION }, key, stored, write);
    }
    if (fallback) await this.database.of(tenantId).$transaction(write);
    else await this.writer.store(rows);
    return true;
  }

  private async send(
    tenantId: string,
    messages: PushedMessage[],
    { online, isRepeated }: { online?: Online; isRepeated?: true },
  ): Promise<void> {
    const [first] = messages;
    if (!first) return;
    const { message, topic } = first;
    const inbox = first.inbox || undefined;
    const times = { createdAt: first.createdAt.getTime(), expiresAt: first.expiresAt?.getTime() ?? null };
    const traceContext = currentTrace();
    const named = messages.map(({ id, recipient }) => ({ id, recipient }));
    await this.router.send({ tenantId, message, topic, inbox, ...times, traceContext, isRepeated, messages: named }, online);
  }

  /**
   * Returns the messages in their current state, with the errors of the first push. Resends PENDING messages, as the first node may have
   * stopped before sending them.
   */
  private async repeat(tenantId: string, stored: StoredResult, { message, fallback }: MessageInput): Promise<PushMessageResult> {
    const ids = stored.map(({ id }) => id);
    const rows = await messagesWithIds(this.database, tenantId, ids);
    const fallbackOf = fallback ? this.fallbacks.loaderOf(tenantId, rows) : undefined;
    const found = new Map(rows.map((row) => [row.pushId, { ...toMessage({ ...row, message }), fallbackOf }]));
    const kept = stored.flatMap(({ id, missed }) => (found.has(id) ? { ...found.get(id)!, missed } : []));
    const pending = kept.filter(({ status, expiresAt }) => status === MessageStatus.PENDING && !isPast(expiresAt));
    await this.send(tenantId, pending, { isRepeated: true });
    return resultOf(kept);
  }
}

function newMessage(
  recipient: string,
  { message, topic, expiresAt, inbox }: MessageContent,
  online: Online | undefined,
): PushedMessage {
  const id = uuidv7();
  const createdAt = new Date(timeOfId(id));
  const missed = online !== undefined && !online.unknown && !isOnline(online, recipient);
  return {
    id,
    recipient,
    message,
    topic,
    expiresAt,
    inbox,
    seenAt: null,
    readAt: null,
    archivedAt: null,
    createdAt,
    missed,
    status: missed ? MessageStatus.CANCELLED : MessageStatus.PENDING,
    deliveredAt: null,
    cancelledAt: missed ? createdAt : null,
    cancelReason: missed ? TRANSITIONS.nobodyConnected.reason : null,
    globalMessageId: null,
  };
}

function rowsOf(tenantId: string, made: PushedMessage[]): NewPush {
  const { message, topic, expiresAt, inbox } = made[0]!;
  return {
    tenantId,
    message,
    topic,
    expiresAt,
    inbox,
    messages: made.map(({ id, recipient, status, cancelledAt, cancelReason }) => ({
      pushId: id,
      recipientKey: recipientKey(recipient),
      recipient: fullName(recipient),
      status,
      cancelledAt,
      cancelReason,
    })),
  };
}

function resultOf(made: PushedMessage[]): PushMessageResult {
  const results = made.map(({ missed, ...item }): PushMessageRecipientResult => {
    const error = missed
      ? { message: `Not connected, and the message cannot wait; set expiresAt to queue it: ${quoted(item.recipient)}` }
      : null;
    return { recipient: item.recipient, item, error };
  });
  const missed = made.filter((message) => message.missed).map(({ recipient }) => quoted(recipient));
  const error =
    missed.length > 0
      ? { message: `Not connected, and the message cannot wait; set expiresAt to queue it: ${missed.join(', ')}` }
      : null;
  return { item: results[0]?.item ?? null, error, results };
}

const defaultExpiry = (): Date => new Date(Date.now() + INBOX_DAYS * 86_400_000);

const isPast = (time: Date | null): boolean => time !== null && time.getTime() <= Date.now();

const quoted = (recipient: string): string => JSON.stringify(recipient);
