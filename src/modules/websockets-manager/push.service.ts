import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/auth/caller.js';
import { Config } from '../../common/config/config.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { timeOfId, uuidv7 } from '../../common/ids/ids.js';
import { Metrics } from '../../common/metrics/metrics.js';
import type { MessageInput } from './inputs/push.inputs.js';
import { checkExpiry, checkPush, recipientsOf } from './inputs/push.rules.js';
import { toMessage } from './message-row.js';
import { MessageStatus } from './message-states.js';
import { messagesOfIds } from './messages.queries.js';
import type { Message, PushMessageRecipientResult, PushMessageResult } from './models/message.model.js';
import { type PushKey, PushKeysService } from './push-keys.service.js';
import { insertMessages, type NewMessages } from './push.queries.js';
import { PushRouterService } from './push-router.service.js';
import { PushWriterService } from './push-writer.service.js';
import { fullName, recipientKey } from './recipient-key.js';
import { isOnline, type Online, RecipientsOnlineService } from './recipients-online.service.js';
import { WaitingQuotaService } from './waiting-quota.service.js';

/** What an idempotency key keeps: the message of each recipient, and who was not connected. */
type Kept = { id: string; missed: boolean }[];

interface NewMessage extends Message {
  missed: boolean;
}

/** Pushes to named recipients: recorded first, sent second. */
@Injectable()
export class PushService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
    private readonly online: RecipientsOnlineService,
    private readonly writer: PushWriterService,
    private readonly keys: PushKeysService,
    private readonly router: PushRouterService,
    private readonly quota: WaitingQuotaService,
    private readonly metrics: Metrics,
  ) {}

  async push({ tenantId }: Caller, input: MessageInput): Promise<PushMessageResult> {
    checkPush(input);
    const recipients = recipientsOf(input);
    const { message, topic = null, expiresAt = null, idempotencyKey } = input;
    const key =
      typeof idempotencyKey === 'string'
        ? {
            tenantId,
            operation: 'pushMessage' as const,
            key: idempotencyKey,
            content: [recipients, message, topic, expiresAt?.getTime() ?? null],
          }
        : undefined;
    const before = key && (await this.keys.resultOf<Kept>(key));
    if (before) return this.again(tenantId, before, message);
    checkExpiry(expiresAt);
    // What can wait is looked for after it is stored, so that who connects meanwhile finds it there, or is found here.
    const online = expiresAt === null ? await this.online.of(tenantId, recipients, topic) : undefined;
    const made = recipients.map((recipient) => newMessage(recipient, { message, topic, expiresAt }, online));
    const isFirst = await this.quota.within(tenantId, { count: made.length, expiresAt }, () => this.store(tenantId, made, key));
    if (key && !isFirst) return this.again(tenantId, (await this.keys.resultOf<Kept>(key)) ?? [], message);
    this.metrics.pushedMessages.inc({ kind: 'recipient' }, made.length);
    await this.send(tenantId, made, online);
    return resultOf(made);
  }

  /** Answers with false, and nothing is stored, when another push with the key came first. */
  private async store(tenantId: string, made: NewMessage[], key: PushKey | undefined): Promise<boolean> {
    const rows = rowsOf(tenantId, made);
    if (key) {
      const kept: Kept = made.map(({ id, missed }) => ({ id, missed }));
      return this.keys.first(key, kept, (tx) => insertMessages(tx, this.config.isPostgres, [rows]));
    }
    await this.writer.store(rows);
    return true;
  }

  private async send(tenantId: string, made: NewMessage[], online: Online | undefined): Promise<void> {
    const messages = made.filter(({ missed }) => !missed);
    const [first] = messages;
    if (!first) return;
    const { message, topic } = first;
    const times = { createdAt: first.createdAt.getTime(), expiresAt: first.expiresAt?.getTime() ?? null };
    await this.router.send(
      { tenantId, message, topic, ...times, messages: messages.map(({ id, recipient }) => ({ id, recipient })) },
      online,
    );
  }

  /** The messages as they are now, with the errors of then. */
  private async again(tenantId: string, kept: Kept, message: string): Promise<PushMessageResult> {
    const rows = await messagesOfIds(
      this.prisma,
      this.config.isPostgres,
      tenantId,
      kept.map(({ id }) => id),
    );
    const found = new Map(rows.map((row) => [row.pushId, toMessage({ ...row, message })]));
    return resultOf(kept.flatMap(({ id, missed }) => (found.has(id) ? { ...found.get(id)!, missed } : [])));
  }
}

function newMessage(
  recipient: string,
  { message, topic, expiresAt }: Pick<Message, 'message' | 'topic' | 'expiresAt'>,
  online: Online | undefined,
): NewMessage {
  const id = uuidv7();
  const createdAt = new Date(timeOfId(id));
  const missed = online !== undefined && !online.unknown && !isOnline(online, recipient);
  return {
    id,
    recipient,
    message,
    topic,
    expiresAt,
    createdAt,
    missed,
    status: missed ? MessageStatus.CANCELLED : MessageStatus.PENDING,
    deliveredAt: null,
    cancelledAt: missed ? createdAt : null,
    globalMessageId: null,
  };
}

function rowsOf(tenantId: string, made: NewMessage[]): NewMessages {
  const { message, topic, expiresAt } = made[0]!;
  return {
    tenantId,
    message,
    topic,
    expiresAt: expiresAt?.getTime() ?? null,
    recipients: made.map(({ id, recipient, status, cancelledAt }) => ({
      id,
      key: recipientKey(recipient),
      name: fullName(recipient),
      status,
      cancelledAt: cancelledAt?.getTime() ?? null,
    })),
  };
}

function resultOf(made: NewMessage[]): PushMessageResult {
  const results = made.map(({ missed, ...item }): PushMessageRecipientResult => {
    const error = missed ? { message: `Not connected, and the message cannot wait: ${shown(item.recipient)}` } : null;
    return { recipient: item.recipient, item, error };
  });
  const missed = made.filter((message) => message.missed).map(({ recipient }) => shown(recipient));
  const error = missed.length > 0 ? { message: `Not connected, and the message cannot wait: ${missed.join(', ')}` } : null;
  return { item: results[0]!.item, error, results };
}

const shown = (recipient: string): string => JSON.stringify(recipient);
