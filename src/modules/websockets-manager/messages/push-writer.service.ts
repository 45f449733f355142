import { Injectable } from '@nestjs/common';
import type { Batcher } from '../../../common/scheduling/batcher.js';
import { Batchers, WRITES } from '../../../common/scheduling/batchers.js';
import { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { MessageStatus } from './message-states.js';
import type { GlobalPush } from '../models/push.js';
import { MessageSettlementsService } from './message-settlements.service.js';
import type { TenantMessage } from './settled.queries.js';
import { insertGlobalMessages, insertMessages, insertMessagesStatement, type NewPush } from './push.queries.js';

/** Maximum characters of pushes per statement. */
const MAX_STATEMENT = 4 * 1024 * 1024;
/** Concurrent statements on PostgreSQL. SQLite has a single writer. */
const MAX_RUNNING = 4;

/** Columns of a message that a push leaves empty. */
const NEW = { deliveredAt: null, isGlobal: false, seenAt: null, readAt: null, archivedAt: null };

/** Stores pushes, batching several callers into one statement. */
@Injectable()
export class PushWriterService {
  private readonly messages: Batcher<NewPush>;
  private readonly globals: Batcher<GlobalPush>;

  constructor(
    private readonly database: Database,
    private readonly settlements: MessageSettlementsService,
    batchers: Batchers,
  ) {
    const concurrency = database.dialect.concurrentWrites(MAX_RUNNING);
    const limits = { ...WRITES, maxLength: MAX_STATEMENT, concurrency };
    this.messages = batchers.create('messages', (pushes: NewPush[]) => this.insert(pushes), {
      ...limits,
      tenantOf: ({ tenantId }) => tenantId,
      lengthOf: ({ message, messages }) => message.length * messages.length,
    });
    this.globals = batchers.create(
      'global_messages',
      (messages: GlobalPush[]) => insertGlobalMessages(database.dialect, database, messages),
      {
        ...limits,
        tenantOf: ({ tenantId }) => tenantId,
        lengthOf: ({ message }) => message.length,
      },
    );
  }

  /** Stores a push. Splits a long text to many recipients into several statements, to let other writers run in between. */
  async store(push: NewPush): Promise<void> {
    const perStatement = Math.max(1, Math.floor(MAX_STATEMENT / push.message.length));
    const writes: Promise<void>[] = [];
    for (let from = 0; from < push.messages.length; from += perStatement) {
      writes.push(this.messages.add({ ...push, messages: push.messages.slice(from, from + perStatement) }));
    }
    await Promise.all(writes);
  }

  /** Stores a push within the caller's transaction. */
  async storeWithin(transaction: TenantTransaction, push: NewPush): Promise<void> {
    const rows = transaction.acrossTenants('each push brings its tenant');
    await rows.$executeRaw(insertMessagesStatement(this.database.dialect, [push]));
    await this.settlements.tell(rows, this.toTell([push]));
  }

  storeGlobal(push: GlobalPush): Promise<void> {
    return this.globals.add(push);
  }

  private insert(pushes: NewPush[]): Promise<void> {
    const cancelled = this.toTell(pushes);
    if (cancelled.length === 0) return insertMessages(this.database, pushes);
    return this.settlements.write(insertMessagesStatement(this.database.dialect, pushes), cancelled);
  }

  /** Returns the messages stored as CANCELLED immediately, for tenants subscribed to their events. */
  private toTell(pushes: NewPush[]): TenantMessage[] {
    const wanted = pushes.filter(({ tenantId }) => this.settlements.wants({ tenantId, status: MessageStatus.CANCELLED }));
    return wanted.flatMap(({ messages, ...push }) =>
      messages.filter(({ status }) => status === MessageStatus.CANCELLED).map((message) => ({ ...push, ...message, ...NEW })),
    );
  }
}
