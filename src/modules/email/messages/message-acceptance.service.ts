import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import type { Sender } from '../../../common/config/settings/mail-settings.js';
import { Database } from '../../../common/database/database.js';
import { badInput } from '../../../common/errors/app-error.js';
import { type IdempotencyKey, type KeyColumns, keyOf, oldestKept } from '../../../common/idempotency/idempotency-key.js';
import { type FirstUse, once } from '../../../common/idempotency/once.js';
import { checkInput } from '../../../common/validation/text.js';
import { type NewEmail, newEmail, type NewRecipient } from '../rows/email-row.js';
import { storedPairs } from '../rows/pairs.js';
import type { SendMessageInput } from '../inputs/email.inputs.js';
import { type CheckedMessage, sendMessageRules } from '../inputs/email.rules.js';
import { MailQuotaService } from './mail-quota.service.js';
import { SendersService } from './senders.service.js';
import { MessageContentService } from './message-content.service.js';
import { MAX_ADDRESSES, type SendMessageResult } from '../models/email.model.js';
import { OutboxJob } from '../outbox/outbox.job.js';
import { UnsubscribeLinks } from '../unsubscribe/unsubscribe-links.js';
import { OutboxWriterService } from '../outbox/outbox-writer.service.js';

/** Accepts messages. A message whose id was returned is in the outbox, and will be sent. */
@Injectable()
export class MessageAcceptanceService {
  constructor(
    private readonly database: Database,
    private readonly contents: MessageContentService,
    private readonly senders: SendersService,
    private readonly quota: MailQuotaService,
    private readonly writer: OutboxWriterService,
    private readonly worker: OutboxJob,
    private readonly unsubscribeLinks: UnsubscribeLinks,
  ) {}

  async accept(caller: Caller, input: SendMessageInput): Promise<SendMessageResult> {
    const message = checkInput(sendMessageRules, input);
    const recipients = recipientsOf(message);
    checkUnsubscribe(message, recipients);
    const { idempotencyKey, ...content } = input;
    const key = keyOf(idempotencyKey, content);
    return once('message', key, {
      find: (used) => this.firstOf(caller, used),
      first: async () => {
        const from = await this.senders.senderOf(caller.tenantId, message.from);
        const id = await this.quota.within(caller.tenantId, () => this.store(caller, message, { from, recipients, key }));
        if (id === undefined) return undefined;
        this.worker.accepted(caller.tenantId);
        return { id };
      },
      repeat: (first) => first,
    });
  }

  /** Stores the message and returns its id. Returns nothing, and stores nothing, when its idempotency key is taken. */
  private async store(caller: Caller, message: CheckedMessage, { from, recipients, key }: Envelope): Promise<string | undefined> {
    const fresh = newEmail(caller.tenantId, from, this.senders.own);
    const unsubscribeUrl = this.unsubscribeUrl(fresh, message, recipients);
    const email: NewEmail = {
      ...fresh,
      ...replyOf(message),
      ...(await this.contents.contentOf(caller, message, unsubscribeUrl)),
      ...key,
      headers: storedPairs(message.headers),
      tags: storedPairs(message.tags),
      list: message.unsubscribe?.list ?? null,
      unsubscribeUrl,
      ignoredReasons: message.ignoreSuppressions?.length ? JSON.stringify(message.ignoreSuppressions) : null,
    };
    const attachments = message.attachments ?? [];
    email.hasAttachments = attachments.length > 0;
    const isStored = await this.writer.store(caller, { email, recipients, attachments });
    return isStored ? email.id : undefined;
  }

  private unsubscribeUrl(
    { id, tenantId }: NewEmail,
    { unsubscribe }: CheckedMessage,
    [recipient]: NewRecipient[],
  ): string | null {
    if (!unsubscribe) return null;
    const { url, list } = unsubscribe;
    return url ?? this.unsubscribeLinks.linkOf({ tenantId, emailId: id, address: recipient!.address, list });
  }

  /** Finds the message of an idempotency key, and frees a key that is too old. */
  private async firstOf(
    { tenantId }: Caller,
    { idempotencyKey }: IdempotencyKey,
  ): Promise<FirstUse<SendMessageResult> | undefined> {
    const { email } = this.database.of(tenantId);
    const first = await email.findUnique({
      where: { tenantId_idempotencyKey: { tenantId, idempotencyKey } },
      select: { id: true, inputHash: true, createdAt: true },
    });
    if (!first) return undefined;
    const { id, inputHash, createdAt } = first;
    if (createdAt > oldestKept()) return { inputHash, result: { id } };
    await email.updateMany({ where: { id, idempotencyKey }, data: { idempotencyKey: null } });
    return undefined;
  }
}

/** Everything about a message but its content. */
interface Envelope {
  from: Sender;
  recipients: NewRecipient[];
  key: KeyColumns;
}

/** Returns each address once, in the list that names it first. @throws BAD_USER_INPUT over MAX_ADDRESSES */
function recipientsOf({ to, cc, bcc }: CheckedMessage): NewRecipient[] {
  const byAddress = new Map<string, NewRecipient>();
  for (const [kind, people] of Object.entries({ to, cc: cc ?? [], bcc: bcc ?? [] })) {
    for (const { address, name } of people) {
      if (!byAddress.has(address)) byAddress.set(address, { kind: kind as NewRecipient['kind'], address, name });
    }
  }
  if (byAddress.size <= MAX_ADDRESSES) return [...byAddress.values()];
  throw badInput('input.to', `to, cc and bcc must have at most ${MAX_ADDRESSES} addresses together, have ${byAddress.size}`);
}

/** @throws BAD_USER_INPUT for a message of a list to several recipients */
function checkUnsubscribe({ unsubscribe }: CheckedMessage, recipients: NewRecipient[]): void {
  if (!unsubscribe || recipients.length === 1) return;
  const right = 'send each recipient a message of their own, since each has an address to unsubscribe at';
  throw badInput('input.unsubscribe', `needs one recipient in to, cc and bcc together, has ${recipients.length}; ${right}`);
}

function replyOf({ replyTo }: CheckedMessage) {
  return { replyToAddress: replyTo?.address ?? null, replyToName: replyTo?.name ?? null };
}
