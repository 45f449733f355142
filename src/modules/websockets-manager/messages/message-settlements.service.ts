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
const GROUPED = 'one statement stores the changes of several tenants, each with its tenant';
/** Event by new status. */
const EVENTS = { [MessageStatus.DELIVERED]: 'MESSAGE_DELIVERED', [MessageStatus.CANCELLED]: 'MESSAGE_CANCELLED' } as const;

/** Bytes of texts in memory per webhook of a tenant. */
const MAX_PORTION = 1024 * 1024;
/** Bytes of an event without its text. */
const EVENT_BYTES = 512;

/** New status of messages of a tenant. */
export interface Outcome {
  tenantId: string;
  status: MessageStatus;
}

/** Writes further columns of messages before they are read. */
type Completion = (rows: Pick<AllTenantsTransaction, 'message'>) => Promise<void>;

/**
 * Runs the statements that deliver or cancel messages, and stores their events in the same transaction. Runs a single statement if no
 * webhook is subscribed.
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

  /** Cancels messages of a tenant by a statement. Returns their number. */
  cancel(tenantId: string, statement: Sql): Promise<number> {
    if (this.wants({ tenantId, status: MessageStatus.CANCELLED })) return this.withEvents(statement);
    return this.database.of(tenantId).$executeRaw(statement);
  }

  /** Cancels messages of all tenants by a statement. Returns their number. */
  async cancelOfAny(statement: Sql): Promise<number> {
    if (this.outbox.wantedBy(SERVICE, EVENTS.CANCELLED).length > 0) return this.withEvents(statement);
    return this.database.acrossTenants('messages of every tenant expire').$executeRaw(statement);
  }

  /** Returns true if a webhook is subscribed to the event. */
  wants({ tenantId, status }: Outcome): boolean {
    return status !== MessageStatus.PENDING && this.outbox.wants(tenantId, SERVICE, EVENTS[status]);
  }

  /**
   * Runs a statement that writes messages in a final status, and stores their events. Takes one round trip in place of the four of an
   * interactive transaction. Splits only long texts.
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

  /** Stores the events of delivered or cancelled messages, within their transaction. */
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

/** Splits messages to bound the memory of their texts. */
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
