import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { isDatabaseUnavailable } from '../../common/database/database-faults.js';
import { GroupedWrites } from '../../common/database/grouped-writes.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { insertGlobalMessages, insertMessages, type NewGlobalMessage, type NewMessages } from './push.queries.js';

/** Characters that one statement stores. */
const MAX_STATEMENT = 4 * 1024 * 1024;
/** PostgreSQL commits several at once; SQLite has one writer. */
const MAX_RUNNING_ON_POSTGRES = 4;

/** Stores what is pushed, that of several callers in one statement. */
@Injectable()
export class PushWriterService {
  private readonly messages: GroupedWrites<NewMessages>;
  private readonly globals: GroupedWrites<NewGlobalMessage>;

  constructor(prisma: PrismaService, { isPostgres }: Config) {
    const limits = {
      maxLength: MAX_STATEMENT,
      maxRunning: isPostgres ? MAX_RUNNING_ON_POSTGRES : 1,
      isCommonFault: isDatabaseUnavailable,
    };
    this.messages = new GroupedWrites((pushes) => insertMessages(prisma, isPostgres, pushes), {
      ...limits,
      tenantOf: ({ tenantId }) => tenantId,
      lengthOf: ({ message, recipients }) => message.length * recipients.length,
    });
    this.globals = new GroupedWrites((messages) => insertGlobalMessages(prisma, isPostgres, messages), {
      ...limits,
      tenantOf: ({ tenantId }) => tenantId,
      lengthOf: ({ message }) => message.length,
    });
  }

  /** Long texts to many recipients take several statements, so that other writers have their turn between them. */
  async store(push: NewMessages): Promise<void> {
    const perStatement = Math.max(1, Math.floor(MAX_STATEMENT / push.message.length));
    const writes: Promise<void>[] = [];
    for (let from = 0; from < push.recipients.length; from += perStatement) {
      writes.push(this.messages.add({ ...push, recipients: push.recipients.slice(from, from + perStatement) }));
    }
    await Promise.all(writes);
  }

  storeGlobal(message: NewGlobalMessage): Promise<void> {
    return this.globals.add(message);
  }
}
