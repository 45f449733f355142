import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/auth/caller.js';
import { Config } from '../../common/config/config.js';
import { isDatabaseUnavailable } from '../../common/database/database-faults.js';
import { GroupedWrites } from '../../common/database/grouped-writes.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { AppError } from '../../common/errors/app-error.js';
import { AttachableContentService, type PinnedContent } from '../file-management/attachable-content.service.js';
import type { NewEmail, NewRecipient } from './email-row.js';
import { asElements, type EmailElements, insertEmails, type Statements } from './outbox.queries.js';

const MAX_LENGTH = 1024 * 1024;
/** PostgreSQL commits two at once, so that groups stay large; SQLite has one writer. */
const MAX_RUNNING_ON_POSTGRES = 2;
const MAX_ATTACHED_BYTES = 25 * 1024 * 1024;

/** A file to attach, under the name that recipients see. */
interface WantedAttachment {
  name: string;
  fileId: string;
}

export interface AcceptedMessage {
  email: NewEmail;
  recipients: NewRecipient[];
  attachments: WantedAttachment[];
}

interface Waiting {
  elements: EmailElements;
  /** In the order of which keys are taken. */
  key: string;
  id: string;
  tenantId: string;
  isStored: boolean;
}

class KeyIsThere extends Error {}

/** Puts messages into the outbox. Who is answered has the message, with its recipients and the content it needs, on disk. */
@Injectable()
export class OutboxWriterService {
  private readonly groups: GroupedWrites<Waiting>;

  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
    private readonly contents: AttachableContentService,
  ) {
    this.groups = new GroupedWrites((waiting) => this.writeGroup(waiting), {
      maxRunning: config.isPostgres ? MAX_RUNNING_ON_POSTGRES : 1,
      maxLength: MAX_LENGTH,
      tenantOf: ({ tenantId }) => tenantId,
      lengthOf: ({ elements }) => elements.email.length + elements.recipients.length,
      isCommonFault: isDatabaseUnavailable,
    });
  }

  /**
   * Answers with whether it was stored; it was not when its idempotency key is there already.
   * @throws NOT_FOUND, FAILED_PRECONDITION or PAYLOAD_TOO_LARGE for what it attaches, and then nothing is stored
   */
  async store(caller: Caller, message: AcceptedMessage): Promise<boolean> {
    if (message.attachments.length > 0) return this.storeWithAttachments(caller, message);
    const { email, recipients } = message;
    const elements = asElements(email, recipients, this.config.isPostgres);
    const waiting = { elements, key: email.idempotencyKey ?? '', id: email.id, tenantId: email.tenantId, isStored: false };
    await this.groups.add(waiting);
    return waiting.isStored;
  }

  /** In the transaction of somebody who stores more with it. */
  async storeWithin(transaction: Statements, { email, recipients }: AcceptedMessage): Promise<void> {
    await insertEmails(transaction, this.config.isPostgres, [asElements(email, recipients, this.config.isPostgres)]);
  }

  private async writeGroup(group: Waiting[]): Promise<void> {
    // Statements that wait for each other's keys would end in a deadlock if each took them in its own order.
    const elements = group.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map((one) => one.elements);
    const insert = (database: Statements) => insertEmails(database, this.config.isPostgres, elements);
    const stored = await (this.config.isPostgres ? insert(this.prisma) : this.prisma.$transaction(insert));
    for (const one of group) one.isStored = stored.has(one.id);
  }

  private async storeWithAttachments(caller: Caller, { email, recipients, attachments }: AcceptedMessage): Promise<boolean> {
    const elements = [asElements(email, recipients, this.config.isPostgres)];
    const wanted = attachments.map(({ fileId }, index) => ({ fileId, field: `input.attachments.${index}.fileId` }));
    try {
      await this.prisma.$transaction(async (transaction) => {
        const contents = await this.contents.pin(transaction, caller, wanted, email.id);
        checkSizes(contents);
        const stored = await insertEmails(transaction, this.config.isPostgres, elements);
        if (!stored.has(email.id)) throw new KeyIsThere();
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
      if (error instanceof KeyIsThere) return false;
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
