import { Injectable } from '@nestjs/common';
import type { Batcher } from '../../../common/scheduling/batcher.js';
import { Batchers, WRITES } from '../../../common/scheduling/batchers.js';
import { Database, type Statements } from '../../../common/database/database.js';
import { AppError, forAccepted, orRefusal } from '../../../common/base/app-error.js';
import { AttachableContentService } from '../../file-management/file-storage/attachable-content.service.js';
import { attachmentRows, INLINE, type PlacedAttachment } from '../message-storage/attachment-row.js';
import type { NewEmail, NewRecipient } from '../message-storage/email-row.js';
import { asElements, type EmailElements, insertEmails, insertEmailsInOwnTransaction } from './outbox-insert.queries.js';

const MAX_LENGTH = 1024 * 1024;
/** Concurrent transactions. Few of them keep the groups large; SQLite has a single writer. */
const MAX_RUNNING = 2;

export interface StoredMessage {
  id: string;
}

export interface AcceptedMessage {
  email: NewEmail;
  recipients: NewRecipient[];
  attachments: PlacedAttachment[];
}

/** Messages of a call, inserted by one statement. */
interface QueuedInsert {
  elements: EmailElements[];
  tenantId: string;
}

/** Writes messages to the outbox, durably, with their recipients and attachment contents. */
@Injectable()
export class OutboxWriterService {
  private readonly groups: Batcher<QueuedInsert, Set<string>>;

  constructor(
    private readonly database: Database,
    private readonly contents: AttachableContentService,
    batchers: Batchers,
  ) {
    this.groups = batchers.create('mails', (group) => this.writeGroup(group), {
      ...WRITES,
      concurrency: database.dialect.concurrentWrites(MAX_RUNNING),
      maxLength: MAX_LENGTH,
      tenantOf: ({ tenantId }) => tenantId,
      lengthOf: ({ elements }) => elements.reduce((sum, { email, recipients }) => sum + email.length + recipients.length, 0),
    });
  }

  /**
   * Stores messages of a tenant in one commit. Returns the id of each message; undefined if its idempotency key is taken; or NOT_FOUND,
   * FAILED_PRECONDITION or PAYLOAD_TOO_LARGE for its attachments, without storing it.
   */
  async store(tenantId: string, messages: AcceptedMessage[]): Promise<(StoredMessage | AppError | undefined)[]> {
    if (messages.some(({ attachments }) => attachments.length > 0)) return this.storeWithAttachments(tenantId, messages);
    const stored = await this.groups.add({ elements: messages.map((one) => this.elementsOf(one)), tenantId });
    return messages.map(({ email: { id } }) => (stored.has(id) ? { id } : undefined));
  }

  /** Checks the attachments of a message like `store`. @throws its errors for attachments */
  async check(tenantId: string, { email, attachments }: AcceptedMessage): Promise<void> {
    await this.database.of(tenantId).$transaction(async (transaction) => {
      attachmentRows(email.id, attachments, await this.contents.contentsOf(transaction, fileIdsOf(attachments)));
    });
  }

  /** Stores messages without attachments within the caller's transaction. */
  async storeWithin(transaction: Statements, ...messages: AcceptedMessage[]): Promise<void> {
    await insertEmails(
      this.database.dialect,
      transaction,
      messages.map((one) => this.elementsOf(one)),
    );
  }

  private async writeGroup(group: QueuedInsert[]): Promise<Set<string>[]> {
    const stored = await insertEmailsInOwnTransaction(
      this.database,
      group.flatMap(({ elements }) => elements),
    );
    return group.map(() => stored);
  }

  private storeWithAttachments(tenantId: string, messages: AcceptedMessage[]): Promise<(StoredMessage | AppError | undefined)[]> {
    return this.database.of(tenantId).$transaction(async (transaction) => {
      const fileIds = messages.flatMap(({ attachments }) => fileIdsOf(attachments));
      const contentOf = await this.contents.contentsOf(transaction, fileIds);
      const complete = await Promise.all(
        messages.map((message) =>
          orRefusal(() => ({ ...message, rows: attachmentRows(message.email.id, message.attachments, contentOf) })),
        ),
      );
      return forAccepted(complete, async (accepted) => {
        const elements = accepted.map((one) => this.elementsOf(one));
        const everyTenant = transaction.acrossTenants('each message brings its tenant');
        const stored = await insertEmails(this.database.dialect, everyTenant, elements);
        const rows = accepted.flatMap((one) => (stored.has(one.email.id) ? one.rows : []));
        await this.contents.pin(
          transaction,
          rows.flatMap(({ blobKey, emailId }) => (blobKey === INLINE ? [] : { blobKey, holderId: emailId })),
        );
        await transaction.emailAttachment.createMany({ data: rows });
        return accepted.map(({ email: { id } }) => (stored.has(id) ? { id } : undefined));
      });
    });
  }

  private elementsOf({ email, recipients }: AcceptedMessage): EmailElements {
    return asElements(this.database.dialect, email, recipients);
  }
}

const fileIdsOf = (attachments: PlacedAttachment[]): string[] =>
  attachments.flatMap((one) => ('fileId' in one ? one.fileId : []));
