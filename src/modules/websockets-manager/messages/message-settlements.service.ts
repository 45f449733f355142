import { Injectable } from '@nestjs/common';
import { type AllTenantsTransaction, Database, type Statements } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import type { Sql } from '../../../common/database/sql/sql.js';
import type { NewEvent } from '../../../common/events/outbox/event.js';
import { EventOutbox } from '../../../common/events/outbox/event-outbox.js';
import { MAX_MESSAGE } from '../models/limits.js';
import { MessageStatus } from './message-states.js';
import { toMessage } from './message-row.js';
import { messagesByKeys, returning, type TenantMessage, type WrittenMessage } from './settled.queries.js';

const SERVICE = 'websockets-manager';
const GROUPED = 'the changes of several tenants are stored in one statement, each with its tenant';
/** The event of a message that got this status. */
const EVENTS = { [MessageStatus.DELIVERED]: 'MESSAGE_DELIVERED', [MessageStatus.CANCELLED]: 'MESSAGE_CANCELLED' } as const;

/** How many bytes of texts are in memory at once, for each webhook of a tenant. */
const MAX_PORTION = 1024 * 1024;
/** Bytes of an event beside its text. */
const EVENT_BYTES = 512;

/** The status that messages of a tenant get. */
export interface Outcome {
  tenantId: string;
  status: MessageStatus;
}

/** Writes further columns of messages, before they are read. */
type Completion = (rows: Pick<AllTenantsTransaction, 'message'>) => Promise<void>;

/**
 * Runs the statements that settle messages, and stores the events of these messages in the same transaction. Where no webhook wants
 * them, runs the statement alone.
 */
@Injectable()
export class MessageSettlementsService {
  constructor(
    private readonly database: Database,
    private readonly outbox: EventOutbox,
  ) {}

  /** Records outcomes of messages by one statement. */
  async record<T extends Outcome>(
    statementOf: (dialect: Dialect, outcomes: T[]) => Sql,
    outcomes: T[],
    complete?: Completion,
  ): Promise<void> {
    const statement = statementOf(this.database.dialect, outcomes);
    if (outcomes.some((outcome) => this.wants(outcome))) {
      await this.withEvents(statement, complete);
      return;
    }
    const rows = this.database.acrossTenants(GROUPED);
    await rows.$cells(statement);
    await complete?.(rows);
  }

  /** Cancels messages of a tenant by a statement, and returns their number. */
  cancel(tenantId: string, statement: Sql): Promise<number> {
    if (this.wants({ tenantId, status: MessageStatus.CANCELLED })) return this.withEvents(statement);
    return this.database.of(tenantId).$executeRaw(statement);
  }

  /** Does the same with messages of all tenants. */
  async cancelOfAny(statement: Sql): Promise<number> {
    if (this.outbox.wantedBy(SERVICE, EVENTS.CANCELLED).length > 0) return this.withEvents(statement);
    return this.database.acrossTenants('messages of every tenant expire').$executeRaw(statement);
  }

  /** Returns whether a webhook wants the event of such a message. */
  wants({ tenantId, status }: Outcome): boolean {
    return status !== MessageStatus.PENDING && this.outbox.wants(tenantId, SERVICE, EVENTS[status]);
  }

  /**
   * Runs a statement that writes messages as settled, with their events. Both go to the database in one step, which an interactive
   * transaction needs four of; only long texts are divided.
   */
  async write(statement: Sql, messages: TenantMessage[]): Promise<void> {
    if (portions(messages, textLength).length === 1) {
      await this.outbox.storeWith(statement, messages.map(eventOf));
      return;
    }
    await this.database.acrossTenants(GROUPED).$transaction(async (transaction) => {
      await transaction.$executeRaw(statement);
      await this.tell(transaction, messages);
    });
  }

  /** Stores the events of messages that were written as settled, in the transaction that wrote them. */
  async tell(transaction: Statements, messages: TenantMessage[]): Promise<void> {
    for (const some of portions(messages, textLength)) {
      await this.outbox.store(transaction, some.map(eventOf));
    }
  }

  private withEvents(statement: Sql, complete?: Completion): Promise<number> {
    return this.database.acrossTenants(GROUPED).$transaction(async (transaction) => {
      const written = await transaction.$queryRaw<WrittenMessage[]>(returning(statement));
      await complete?.(transaction);
      const wanted = written.filter((message) => this.wants(message));
      for (const some of portions(wanted, textBytes)) {
        const messages = await messagesByKeys(transaction, this.database.dialect, some);
        await this.outbox.store(transaction, messages.map(eventOf));
      }
      return written.length;
    });
  }
}

const textLength = ({ message }: TenantMessage): number => 3 * message.length;
const textBytes = ({ bytes }: WrittenMessage): number => (bytes === null ? MAX_MESSAGE : Number(bytes));

/** Divides messages, so that the texts of each part need little memory. */
function portions<T>(messages: T[], bytesOf: (message: T) => number): T[][] {
  const parts: T[][] = [];
  let room = 0;
  for (const message of messages) {
    const bytes = bytesOf(message) + EVENT_BYTES;
    if (bytes > room) {
      parts.push([]);
      room = MAX_PORTION;
    }
    parts.at(-1)!.push(message);
    room -= bytes;
  }
  return parts;
}

function eventOf({ tenantId, ...row }: TenantMessage): NewEvent {
  const data = toMessage(row);
  return { tenantId, service: SERVICE, type: EVENTS[row.status as keyof typeof EVENTS], subject: data.id, data };
}
