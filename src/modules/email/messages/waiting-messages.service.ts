import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { EventOutbox } from '../../../common/events/outbox/event-outbox.js';
import { sql } from '../../../common/database/sql/sql.js';
import { AppError, notFound } from '../../../common/base/app-error.js';
import { isId } from '../../../common/base/ids.js';
import { AttachableContentService } from '../../file-management/file-storage/attachable-content.service.js';
import { checkSendAt } from '../acceptance/message.inputs.js';
import { keepContents } from '../message-storage/email-contents.queries.js';
import { type EmailMessage, EmailStatus } from '../models/email.model.js';
import { finished, scheduled } from '../message-storage/email-row.js';
import { mailEvents, wantsMailEvents } from '../message-storage/mail-events.queries.js';
import { OutboxJob } from '../outbox/outbox.job.js';
import { errorOf } from '../outbox/settlement.js';
import { EmailMessagesService } from './email-messages.service.js';

const CANCELLED = 'cancelled by the application';

/** Cancels, reschedules or expedites queued messages. Like a claim, each is a conditional update: the first to commit wins. */
@Injectable()
export class WaitingMessagesService {
  constructor(
    private readonly database: Database,
    private readonly files: AttachableContentService,
    private readonly messages: EmailMessagesService,
    private readonly events: EventOutbox,
    private readonly worker: OutboxJob,
  ) {}

  /** Cancels a message and returns it. Idempotent. */
  async cancel(caller: Caller, id: string): Promise<EmailMessage> {
    if (isId(id)) await this.end(caller.tenantId, id);
    const message = isId(id) ? await this.messages.find(caller, id) : undefined;
    if (!message) throw notFound('The message');
    const { status, sentAt, recipients } = message;
    if (status === EmailStatus.FAILED || recipients.some(({ lastError }) => lastError === CANCELLED)) return message;
    const problem =
      status === EmailStatus.SENT
        ? `The message was sent at ${sentAt!.toISOString()} and cannot be cancelled`
        : 'The message is being sent; retry after the attempt, if it is then still QUEUED';
    throw new AppError('FAILED_PRECONDITION', problem);
  }

  /**
   * Changes the sendAt of a message, and returns it.
   * @throws BAD_USER_INPUT for a time out of bounds; FAILED_PRECONDITION once an attempt has begun
   */
  async reschedule(caller: Caller, id: string, sendAt: Date): Promise<EmailMessage> {
    checkSendAt(sendAt, 'sendAt');
    if (!isId(id)) throw notFound('The message');
    const { email } = this.database.of(caller.tenantId);
    const { count } = await email.updateMany({ where: { id, status: 'QUEUED', attempts: 0 }, data: scheduled(sendAt) });
    const message = await this.messages.find(caller, id);
    if (!message) throw notFound('The message');
    if (count > 0) return message;
    const problem = message.status === EmailStatus.QUEUED ? 'has already been attempted' : `is ${message.status}`;
    throw new AppError('FAILED_PRECONDITION', `The message ${problem} and cannot be rescheduled`);
  }

  /** Makes a message due, and returns it. Leaves a message being sent unchanged. @throws FAILED_PRECONDITION for a finished message */
  async sendNow(caller: Caller, id: string): Promise<EmailMessage> {
    if (!isId(id)) throw notFound('The message');
    const now = new Date();
    const { email } = this.database.of(caller.tenantId);
    const { count } = await email.updateMany({
      where: { id, status: 'QUEUED', attempts: 0, sendAt: { gt: now } },
      data: scheduled(now),
    });
    if (count === 0) await email.updateMany({ where: { id, status: 'QUEUED', ...isFree(now) }, data: { dueAt: now } });
    const message = await this.messages.find(caller, id);
    if (!message) throw notFound('The message');
    if (message.status !== EmailStatus.QUEUED) {
      throw new AppError('FAILED_PRECONDITION', `The message is ${message.status}; only a QUEUED message can be sent now`);
    }
    this.worker.due(caller.tenantId);
    return message;
  }

  /** Finishes a message as FAILED, unless a node is sending it. */
  private async end(tenantId: string, id: string): Promise<void> {
    const now = new Date();
    const { dialect } = this.database;
    const abandoned = await this.database.of(tenantId).$transaction(async (transaction) => {
      const free = sql`(e."leaseHolder" IS NULL OR e."dueAt" <= ${dialect.time(now)})`;
      await keepContents(transaction, dialect, sql`e."tenantId" = ${tenantId} AND e."id" = ${id} AND ${free}`);
      const { count } = await transaction.email.updateMany({
        where: { id, status: 'QUEUED', ...isFree(now) },
        data: finished('FAILED', CANCELLED),
      });
      if (count === 0) return [];
      await endRecipients(transaction, id);
      if (wantsMailEvents(this.events, tenantId)) {
        const everyTenant = transaction.acrossTenants('an event brings its tenant');
        await this.events.store(everyTenant, await mailEvents(everyTenant, [id]));
      }
      await transaction.emailAttachment.deleteMany({ where: { emailId: id } });
      return this.files.unpin(transaction, [id]);
    });
    await this.files.removeAbandoned(abandoned);
  }
}

/** Matches messages not being sent. */
const isFree = (now: Date) => ({ OR: [{ leaseHolder: null }, { dueAt: { lte: now } }] });

/** Finishes the message for the remaining recipients. It becomes SENT if any recipient has received it. */
async function endRecipients(transaction: TenantTransaction, emailId: string): Promise<void> {
  const waiting = { emailId, status: 'QUEUED' } as const;
  await transaction.emailRecipient.updateMany({ where: waiting, data: { status: 'FAILED', lastError: CANCELLED } });
  const recipients = await transaction.emailRecipient.findMany({
    where: { emailId },
    orderBy: { position: 'asc' },
    select: { status: true, lastError: true },
  });
  const status = recipients.some((one) => one.status === 'SENT') ? 'SENT' : 'FAILED';
  await transaction.email.updateMany({ where: { id: emailId }, data: finished(status, errorOf(recipients)) });
}
