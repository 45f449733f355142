import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import type { Batcher } from '../../../common/batching/batcher.js';
import { Batchers, WRITES } from '../../../common/batching/batchers.js';
import { Database, type Statements } from '../../../common/database/database.js';
import { AppError } from '../../../common/errors/app-error.js';
import { AttachableContentService, type PinnedContent } from '../../file-management/content/attachable-content.service.js';
import type { NewEmail, NewRecipient } from '../rows/email-row.js';
import { asElements, type EmailElements, insertEmails, insertEmailsInOwnTransaction } from './outbox-insert.queries.js';
import { MAX_ATTACHED_BYTES } from '../models/limits.js';

const MAX_LENGTH = 1024 * 1024;
/** How many transactions run at a time at most. Few transactions keep the groups large; SQLite has one writer. */
const MAX_RUNNING = 2;

/** A file to attach, with the name that recipients see. */
interface WantedAttachment {
  name: string;
  fileId: string;
}

export interface AcceptedMessage {
  email: NewEmail;
  recipients: NewRecipient[];
  attachments: WantedAttachment[];
}

interface QueuedInsert {
  elements: EmailElements;
  /** The idempotency key, by which the messages of a group are sorted before they are inserted. */
  key: string;
  id: string;
  tenantId: string;
  isStored: boolean;
}

/** Rolls back the transaction of a message whose idempotency key is taken. */
class KeyTaken extends Error {}

/** Writes messages into the outbox. A stored message is on disk, with its recipients and the content of its attachments. */
@Injectable()
export class OutboxWriterService {
  private readonly groups: Batcher<QueuedInsert>;

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
      lengthOf: ({ elements }) => elements.email.length + elements.recipients.length,
    });
  }

  /**
   * Returns whether the message was stored: false means that its idempotency key is taken.
   * @throws NOT_FOUND, FAILED_PRECONDITION or PAYLOAD_TOO_LARGE for its attachments, with nothing stored
   */
  async store(caller: Caller, message: AcceptedMessage): Promise<boolean> {
    if (message.attachments.length > 0) return this.storeWithAttachments(caller, message);
    const { email, recipients } = message;
    const elements = asElements(this.database.dialect, email, recipients);
    const insert = { elements, key: email.idempotencyKey ?? '', id: email.id, tenantId: email.tenantId, isStored: false };
    await this.groups.add(insert);
    return insert.isStored;
  }

  /** Stores a message in a transaction that the caller has begun. */
  async storeWithin(transaction: Statements, { email, recipients }: AcceptedMessage): Promise<void> {
    await insertEmails(this.database.dialect, transaction, [asElements(this.database.dialect, email, recipients)]);
  }

  private async writeGroup(group: QueuedInsert[]): Promise<void> {
    // Sorted by key: two groups that insert the same keys in different orders could deadlock.
    const elements = group.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map((one) => one.elements);
    const stored = await insertEmailsInOwnTransaction(this.database, elements);
    for (const one of group) one.isStored = stored.has(one.id);
  }

  private async storeWithAttachments(caller: Caller, { email, recipients, attachments }: AcceptedMessage): Promise<boolean> {
    const elements = [asElements(this.database.dialect, email, recipients)];
    const wanted = attachments.map(({ fileId }, index) => ({ fileId, field: `input.attachments.${index}.fileId` }));
    try {
      await this.database.of(caller.tenantId).$transaction(async (transaction) => {
        const contents = await this.contents.pin(transaction, wanted, email.id);
        checkSizes(contents);
        const everyTenant = transaction.acrossTenants('the message brings its tenant');
        const stored = await insertEmails(this.database.dialect, everyTenant, elements);
        if (!stored.has(email.id)) throw new KeyTaken();
        const data = contents.map((content, position) => ({
          emailId: email.id,
          position,
          name: attachments[position]!.name,
          ...content,
        }));
        await transaction.emailAttachment.createMany({ data });
      });
      return true;
    } catch (error) {
      if (error instanceof KeyTaken) return false;
      throw error;
    }
  }
}

function checkSizes(contents: PinnedContent[]): void {
  const total = contents.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (total <= MAX_ATTACHED_BYTES) return;
  throw new AppError(
    'PAYLOAD_TOO_LARGE',
    `input.attachments: must have at most ${MAX_ATTACHED_BYTES} bytes in all, have ${total}; send a link to the file in place of it`,
    { field: 'input.attachments' },
  );
}
