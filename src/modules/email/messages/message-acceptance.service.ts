import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Config } from '../../../common/config/config.js';
import type { Sender } from '../../../common/config/settings/mail-settings.js';
import { Database } from '../../../common/database/database.js';
import { AppError, badInput } from '../../../common/errors/app-error.js';
import { type IdempotencyKey, type KeyColumns, keyOf, oldestKept } from '../../../common/idempotency/idempotency-key.js';
import { type FirstUse, once } from '../../../common/idempotency/once.js';
import { checkInput } from '../../../common/validation/text.js';
import { type NewEmail, newEmail, type NewRecipient } from '../rows/email-row.js';
import { EmailDomainsService } from '../domains/email-domains.service.js';
import { storedPairs } from '../rows/pairs.js';
import { IdentitiesService } from '../identities/identities.service.js';
import type { SendMessageInput } from '../inputs/email.inputs.js';
import { type CheckedMessage, type NamedAddress, sendMessageRules } from '../inputs/email.rules.js';
import { MailQuotaService } from './mail-quota.service.js';
import { MessageContentService } from './message-content.service.js';
import { MAX_ADDRESSES, type SendMessageResult } from '../models/email.model.js';
import { OutboxJob } from '../outbox/outbox.job.js';
import { OutboxWriterService } from '../outbox/outbox-writer.service.js';

/** Accepts messages. A message whose id was returned is in the outbox, and will be sent. */
@Injectable()
export class MessageAcceptanceService {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly contents: MessageContentService,
    private readonly identities: IdentitiesService,
    private readonly domains: EmailDomainsService,
    private readonly quota: MailQuotaService,
    private readonly writer: OutboxWriterService,
    private readonly worker: OutboxJob,
  ) {}

  async accept(caller: Caller, input: SendMessageInput): Promise<SendMessageResult> {
    const message = checkInput(sendMessageRules, input);
    const recipients = recipientsOf(message);
    const { idempotencyKey, ...content } = input;
    const key = keyOf(idempotencyKey, content);
    return once('message', key, {
      find: (used) => this.firstOf(caller, used),
      first: async () => {
        const from = await this.sender(caller, message.from);
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
    const content = await this.contents.contentOf(caller, message);
    const email: NewEmail = {
      ...newEmail(caller.tenantId, from, this.config.emailFrom),
      ...replyOf(message),
      ...content,
      ...key,
      headers: storedPairs(message.headers),
      tags: storedPairs(message.tags),
    };
    const attachments = message.attachments ?? [];
    email.hasAttachments = attachments.length > 0;
    const isStored = await this.writer.store(caller, { email, recipients, attachments });
    return isStored ? email.id : undefined;
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

  /** @throws FAILED_PRECONDITION for an address that the tenant may not send from */
  private async sender({ tenantId }: Caller, from: NamedAddress | null | undefined): Promise<Sender> {
    const own = this.config.emailFrom;
    if (!from) return own;
    if (from.address === own.address) return { address: own.address, name: from.name ?? own.name };
    if (await this.identities.isVerified(tenantId, from.address)) return from;
    if (await this.domains.isVerified(tenantId, domainOf(from.address))) return from;
    const field = 'input.from.address';
    const message = `${field}: ${from.address} is not a validated inbox; ask for its validation with verifyEmailIdentity, or create its domain with createEmailDomain`;
    throw new AppError('FAILED_PRECONDITION', message, { field });
  }
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

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

function replyOf({ replyTo }: CheckedMessage) {
  return { replyToAddress: replyTo?.address ?? null, replyToName: replyTo?.name ?? null };
}
