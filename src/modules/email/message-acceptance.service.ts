import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/auth/caller.js';
import { Config } from '../../common/config/config.js';
import type { Sender } from '../../common/config/mail-settings.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { AppError, badInput } from '../../common/errors/app-error.js';
import { contentHash } from '../../common/json/canonical-json.js';
import { checkInput } from '../../common/validation/text.js';
import { type NewEmail, newEmail, type NewRecipient } from './email-row.js';
import { IdentitiesService } from './identities.service.js';
import type { SendMessageInput } from './inputs/email.inputs.js';
import { type MessageGiven, type NamedAddress, sendMessageRules } from './inputs/email.rules.js';
import { MailQuotaService } from './mail-quota.service.js';
import { MessageContentService } from './message-content.service.js';
import { MAX_RECIPIENTS, type SendMessageResult } from './models/email.model.js';
import { OutboxWorker } from './outbox.worker.js';
import { OutboxWriterService } from './outbox-writer.service.js';

const KEEP_KEYS_MS = 24 * 3_600_000;

/** Accepts messages. What is answered with an id is in the outbox, and will be sent. */
@Injectable()
export class MessageAcceptanceService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
    private readonly contents: MessageContentService,
    private readonly identities: IdentitiesService,
    private readonly quota: MailQuotaService,
    private readonly writer: OutboxWriterService,
    private readonly worker: OutboxWorker,
  ) {}

  async accept(caller: Caller, input: SendMessageInput): Promise<SendMessageResult> {
    const given = checkInput(sendMessageRules, input);
    const recipients = recipientsOf(given);
    const key = idempotencyOf(given, input);
    const before = await this.firstOf(caller, key);
    if (before) return before;
    const from = await this.sender(caller, given.from);
    const id = await this.quota.within(caller.tenantId, () => this.store(caller, given, { from, recipients, key }));
    if (!id) return (await this.firstOf(caller, key)) ?? this.accept(caller, input); // gone again: the key was too old
    this.worker.accepted(caller.tenantId);
    return { id };
  }

  /** Returns the id of the message; nothing when its key is there already, and then it is not stored. */
  private async store(caller: Caller, given: MessageGiven, { from, recipients, key }: Checked): Promise<string | undefined> {
    const content = await this.contents.of(caller, given);
    const email: NewEmail = { ...newEmail(caller.tenantId, from, this.config.emailFrom), ...replyOf(given), ...content, ...key };
    const attachments = given.attachments ?? [];
    email.hasAttachments = attachments.length > 0;
    const isStored = await this.writer.store(caller, { email, recipients, attachments });
    return isStored ? email.id : undefined;
  }

  /** What was accepted under the key before. A key that is too old is free again. @throws CONFLICT for other content */
  private async firstOf({ tenantId }: Caller, { idempotencyKey, inputHash }: Key): Promise<SendMessageResult | undefined> {
    if (idempotencyKey === null) return undefined;
    const first = await this.prisma.email.findUnique({
      where: { tenantId_idempotencyKey: { tenantId, idempotencyKey } },
      select: { id: true, inputHash: true, createdAt: true },
    });
    if (!first) return undefined;
    if (first.createdAt.getTime() <= Date.now() - KEEP_KEYS_MS) {
      await this.prisma.email.updateMany({ where: { id: first.id, idempotencyKey }, data: { idempotencyKey: null } });
      return undefined;
    }
    if (first.inputHash === inputHash) return { id: first.id };
    const field = 'input.idempotencyKey';
    const message = `${field}: was used before, with other content; a new message needs a new key`;
    throw new AppError('CONFLICT', message, { field });
  }

  /** @throws FAILED_PRECONDITION for an address that is not the tenant's to send from */
  private async sender({ tenantId }: Caller, given: NamedAddress | null | undefined): Promise<Sender> {
    const own = this.config.emailFrom;
    if (!given) return own;
    if (given.address === own.address) return { address: own.address, name: given.name ?? own.name };
    if (await this.identities.isVerified(tenantId, given.address)) return given;
    const field = 'input.from.address';
    const message = `${field}: ${given.address} is not a validated inbox; ask for its validation with verifyEmailIdentity`;
    throw new AppError('FAILED_PRECONDITION', message, { field });
  }
}

type Key = Pick<NewEmail, 'idempotencyKey' | 'inputHash'>;

/** What is known of a message before its content is made. */
interface Checked {
  from: Sender;
  recipients: NewRecipient[];
  key: Key;
}

function idempotencyOf({ idempotencyKey: key }: MessageGiven, { idempotencyKey, ...content }: SendMessageInput): Key {
  if (typeof key !== 'string') return { idempotencyKey: null, inputHash: null };
  return { idempotencyKey: idempotencyKey!, inputHash: contentHash(content) };
}

/** Each address once, where it was named first. @throws BAD_USER_INPUT when there are too many */
function recipientsOf({ to, cc, bcc }: MessageGiven): NewRecipient[] {
  const byAddress = new Map<string, NewRecipient>();
  for (const [kind, people] of Object.entries({ to, cc: cc ?? [], bcc: bcc ?? [] })) {
    for (const { address, name } of people) {
      if (!byAddress.has(address)) byAddress.set(address, { kind: kind as NewRecipient['kind'], address, name });
    }
  }
  if (byAddress.size <= MAX_RECIPIENTS) return [...byAddress.values()];
  throw badInput('input.to', `to, cc and bcc must have at most ${MAX_RECIPIENTS} addresses together, have ${byAddress.size}`);
}

function replyOf({ replyTo }: MessageGiven) {
  return { replyToAddress: replyTo?.address ?? null, replyToName: replyTo?.name ?? null };
}
