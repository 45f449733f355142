import { Injectable } from '@nestjs/common';
import { missingEntry } from '../../../common/auth/scopes.js';
import type { Caller } from '../../../common/auth/caller.js';
import { AppError, orRefusal, renamed } from '../../../common/base/app-error.js';
import type { Sender } from '../../../common/config/settings/mail-settings.js';
import type { Statements } from '../../../common/database/database.js';
import type { NamedAddress } from '../../../common/graphql/types/email-address.input.js';
import { newEmail } from '../message-storage/email-row.js';
import { OutboxJob } from '../outbox/outbox.job.js';
import { type AcceptedMessage, OutboxWriterService } from '../outbox/outbox-writer.service.js';
import { MailQuotaService } from './mail-quota.service.js';
import { CallSize } from './message-batch.js';
import { MessageContentService } from './message-content.service.js';
import type { SendMessageInput } from './message.inputs.js';
import { SendersService } from './senders.service.js';
import { wantedMessage } from './wanted-message.js';

/** Mail to each of several recipients, with the fields of `sendMessage`. */
export interface LaterMail extends Pick<
  SendMessageInput,
  'from' | 'subject' | 'textBody' | 'templateName' | 'params' | 'locale'
> {
  recipients: NamedAddress[];
}

/** Mail that can be accepted later, without its recipient. */
export interface PreparedMail {
  /** Null: the address of this service. */
  from: NamedAddress | null;
  subject: string;
  html: string | null;
  text: string | null;
}

/** Prepares mails whose acceptance another service decides on later, in its own transaction. */
@Injectable()
export class LaterMailsService {
  constructor(
    private readonly contents: MessageContentService,
    private readonly senders: SendersService,
    private readonly quota: MailQuotaService,
    private readonly writer: OutboxWriterService,
    private readonly worker: OutboxJob,
  ) {}

  /**
   * Checks and renders a mail as `sendMessage` does.
   * @throws the errors of `sendMessage`, with fields below `field`; FORBIDDEN without its scope entry
   */
  async prepare(caller: Caller, { recipients, ...content }: LaterMail, field: string): Promise<PreparedMail> {
    const missing = missingEntry(caller.scope, 'email', 'mutation', 'sendMessage');
    if (missing) throw new AppError('FORBIDDEN', `${field}: the key's scope lacks the entry ${missing}`, { field });
    const made = await orRefusal(async () => {
      const { message } = wantedMessage({ ...content, to: recipients.slice(0, 1) });
      await this.senders.senderOf(caller.tenantId, message.from);
      await this.quota.check(caller.tenantId, recipients.length);
      const own = await this.contents.contentOf(caller, message, { unsubscribeUrl: null, size: new CallSize() });
      return { ...own, from: message.from ?? null };
    });
    if (!(made instanceof AppError)) return made;
    throw made.field === undefined ? made : renamed(made, made.field.replace(/^input/, field));
  }

  /** Returns the sender of a prepared mail, or the reason why the tenant may no longer send from it. */
  senderOf(tenantId: string, { from }: PreparedMail): Promise<Sender | AppError> {
    return orRefusal(() => this.senders.senderOf(tenantId, from));
  }

  /** Runs `accept` with the number of mails that the daily limit of the tenant allows, and with the refusal of the others. */
  upToLimit<R>(tenantId: string, amount: number, accept: (allowed: number, refusal?: Error) => Promise<R>): Promise<R> {
    return this.quota.upTo(tenantId, amount, accept);
  }

  /** Creates a mail to one recipient, with its id in the outbox. */
  mailTo(
    { address, name }: NamedAddress,
    { subject, html, text }: PreparedMail,
    sender: Sender,
    tenantId: string,
  ): AcceptedMessage {
    const email = { ...newEmail(tenantId, sender, this.senders.own), subject, html, text };
    return { email, recipients: [{ kind: 'to', address, name }], attachments: [] };
  }

  /** Stores mails in the outbox within the caller's transaction. */
  storeWithin(transaction: Statements, mails: AcceptedMessage[]): Promise<void> {
    return this.writer.storeWithin(transaction, ...mails);
  }

  /** Called after the transaction of `storeWithin`, to send the mails at once. */
  stored(tenantId: string, count: number): void {
    if (count > 0) this.worker.accepted(tenantId, count, { areDue: true });
  }
}
