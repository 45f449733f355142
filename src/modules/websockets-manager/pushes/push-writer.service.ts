import { Injectable } from '@nestjs/common';
import { isDatabaseUnavailable } from '../../../common/errors/database-faults.js';
import { GroupedWrites } from '../../../common/database/grouped-writes.js';
import { Database } from '../../../common/database/database.js';
import type { GlobalPush } from '../models/push.js';
import { insertGlobalMessages, insertMessages, type NewPush } from './push.queries.js';

/** How many characters one statement stores. */
const MAX_STATEMENT = 4 * 1024 * 1024;
/** PostgreSQL commits several statements at once; SQLite has one writer. */
const MAX_RUNNING = 4;

/** Stores pushes; those of several callers share a statement. */
@Injectable()
export class PushWriterService {
  private readonly messages: GroupedWrites<NewPush>;
  private readonly globals: GroupedWrites<GlobalPush>;

  constructor(database: Database) {
    const limits = {
      maxLength: MAX_STATEMENT,
      maxRunning: database.dialect.concurrentWrites(MAX_RUNNING),
      isCommonFault: isDatabaseUnavailable,
    };
    this.messages = new GroupedWrites((pushes) => insertMessages(database, pushes), {
      ...limits,
      tenantOf: ({ tenantId }) => tenantId,
      lengthOf: ({ message, recipients }) => message.length * recipients.length,
    });
    this.globals = new GroupedWrites((messages) => insertGlobalMessages(database.dialect, database, messages), {
      ...limits,
      tenantOf: ({ tenantId }) => tenantId,
      lengthOf: ({ message }) => message.length,
    });
  }

  /** Splits a long text to many recipients into several statements, so that other writers have their turn between them. */
  async store(push: NewPush): Promise<void> {
    const perStatement = Math.max(1, Math.floor(MAX_STATEMENT / push.message.length));
    const writes: Promise<void>[] = [];
    for (let from = 0; from < push.recipients.length; from += perStatement) {
      writes.push(this.messages.add({ ...push, recipients: push.recipients.slice(from, from + perStatement) }));
    }
    await Promise.all(writes);
  }

  storeGlobal(push: GlobalPush): Promise<void> {
    return this.globals.add(push);
  }
}
