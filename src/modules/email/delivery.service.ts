import { Injectable } from '@nestjs/common';
import { AppError } from '../../common/errors/app-error.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { Log } from '../../common/logging/log.js';
import { AttachableContentService } from '../file-management/attachable-content.service.js';
import type { RecipientRow } from './email-row.js';
import { MessageContentService } from './message-content.service.js';
import type { ClaimedEmail } from './outbox.queries.js';
import { settled, type Settlement } from './settlement.js';
import { type MailAttachment, MailNotTaken, MailTransport, type OutgoingMail, type Refusal } from './transport/mail-transport.js';

/** A message that this node sends, with all whom it is for. */
export interface ClaimedMessage {
  email: ClaimedEmail;
  recipients: RecipientRow[];
}

/** Makes one attempt to send a message. */
@Injectable()
export class DeliveryService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly transport: MailTransport,
    private readonly contents: MessageContentService,
    private readonly files: AttachableContentService,
    private readonly log: Log,
  ) {}

  /** Never fails: what went wrong is in the settlement. */
  async attempt({ email, recipients }: ClaimedMessage, signal: AbortSignal): Promise<Settlement> {
    const pending = recipients.filter(({ status }) => status === 'QUEUED').map(({ address }) => address);
    let attachments: MailAttachment[] = [];
    let refusals: Refusal[];
    let isServerDown = false;
    try {
      const bodies = await this.bodiesOf(email);
      attachments = email.hasAttachments ? await this.attachmentsOf(email.id) : [];
      refusals = await this.transport.send({ ...asMail(email, recipients), ...bodies, attachments, recipients: pending }, signal);
    } catch (error) {
      this.log.warn({ err: error, emailId: email.id, attempts: email.attempts }, 'a mail could not be sent');
      const isPermanent = error instanceof MailNotTaken && error.fault === 'permanent';
      isServerDown = error instanceof MailNotTaken && error.fault === 'unreachable';
      const message = error instanceof MailNotTaken ? error.message : 'the mail could not be made';
      refusals = pending.map((address) => ({ address, isPermanent, message }));
    } finally {
      for (const { content } of attachments) content.destroy();
    }
    return { ...settled(email, recipients, refusals, Date.now()), isServerDown };
  }

  private async bodiesOf(email: ClaimedEmail): Promise<{ html: string | null; text: string | null }> {
    const { html, text } = email.isSmall
      ? email
      : await this.prisma.email.findUniqueOrThrow({ where: { id: email.id }, select: { html: true, text: true } });
    if (html === null || text !== null) return { html, text };
    try {
      return { html, text: await this.contents.textOf(email.tenantId, html) };
    } catch (error) {
      // Only a larger html is converted while its sender can still be told; a mail without the alternative is a mail too.
      if (error instanceof AppError && error.code === 'BAD_USER_INPUT') return { html, text };
      throw error;
    }
  }

  private async attachmentsOf(emailId: string): Promise<MailAttachment[]> {
    const rows = await this.prisma.emailAttachment.findMany({ where: { emailId }, orderBy: { position: 'asc' } });
    return rows.map(({ name, contentType, blobKey }) => ({ name, contentType, content: this.files.open(blobKey) }));
  }
}

type Headers = Omit<OutgoingMail, 'html' | 'text' | 'attachments' | 'recipients'>;

function asMail(email: ClaimedEmail, recipients: RecipientRow[]): Headers {
  const of = (kind: RecipientRow['kind']) => recipients.filter((one) => one.kind === kind);
  return {
    id: email.id,
    messageId: email.messageId,
    date: new Date(email.createdAtMs),
    from: { address: email.fromAddress, name: email.fromName },
    replyTo: email.replyToAddress === null ? null : { address: email.replyToAddress, name: email.replyToName },
    to: of('to'),
    cc: of('cc'),
    subject: email.subject,
  };
}
