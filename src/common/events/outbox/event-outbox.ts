import { Injectable } from '@nestjs/common';
import { Database, type Statements } from '../../database/database.js';
import type { TenantTransaction } from '../../database/tenant-database.js';
import { timeOfId, uuidv7 } from '../../base/ids.js';
import { kept } from '../../database/sql/compiled-once.js';
import { type Sql, sql } from '../../database/sql/sql.js';
import { bodyOf } from './cloud-event.js';
import type { NewEvent, TenantService } from './event.js';
import { changeWithEvents, insertEvents, type NewEventRow } from './events.queries.js';
import { WebhookDirectory } from './webhook-directory.js';

/** Time after an insert by which its transaction has usually ended. The deliverer's poll finds later ones. */
const COMMITTED_MS = 20;

/** Stores events in the transaction of their change (the outbox pattern), so no crash loses one. */
@Injectable()
export class EventOutbox {
  private readonly listeners: (() => void)[] = [];
  private notice?: NodeJS.Timeout;

  constructor(
    private readonly database: Database,
    private readonly directory: WebhookDirectory,
  ) {}

  /** Returns whether a webhook of the tenant subscribes to any of the events. If none does, a change need not collect them. */
  wants(tenantId: string, service: TenantService, ...types: string[]): boolean {
    return types.some((type) => this.directory.find(tenantId, service, type) !== undefined);
  }

  /** Returns the tenants with a webhook that subscribes to any of the events. */
  wantedBy(service: TenantService, ...types: string[]): string[] {
    return this.directory.tenantsWith(service, types);
  }

  /** Stores events for their subscribed webhooks, in a transaction and in one statement. */
  store(transaction: Statements, events: NewEvent[]): Promise<void> {
    return this.storing(events)(transaction);
  }

  /**
   * Returns a function that stores events and may be repeated after a failure. Each event has a fixed id, so an attempt that was stored
   * although its answer was lost does not create a second event.
   */
  storing(events: NewEvent[]): (transaction: Statements) => Promise<void> {
    const rows = this.rowsOf(events);
    let isRepeated = false;
    return async (transaction) => {
      if (rows.length === 0) return;
      const insert = insertEvents(this.database.dialect, rows);
      const statement = isRepeated ? sql`${insert} WHERE true ON CONFLICT DO NOTHING` : insert;
      isRepeated = true;
      await transaction.$executeRaw(statement);
      this.noticeSoon(rows);
    };
  }

  /**
   * Runs a changing statement and stores its subscribed events in one transaction, faster than a transaction of the client. A statement
   * that can skip rows returns the ids of the others, and comes with `isChanged`, the condition that an id is one of them. Only their
   * events are stored. Returns these ids.
   */
  async storeWith(change: Sql, events: NewEvent[], isChanged?: (id: Sql) => Sql): Promise<string[]> {
    const { dialect } = this.database;
    const rows = this.rowsOf(events);
    const everyTenant = this.database.acrossTenants('each event has the tenant of its change');
    const inOneStatement = () =>
      rows.length > 0 ? changeWithEvents(change, rows, { returnsIds: isChanged !== undefined }) : change;
    const returned = await dialect.pick({
      sqlite: async () =>
        (await everyTenant.$atomically([change, ...(rows.length > 0 ? [insertEvents(dialect, rows, isChanged)] : [])]))[0]!,
      postgresql: () => everyTenant.$query(kept(dialect.compile(inOneStatement()))),
    })();
    this.noticeSoon(rows);
    return returned.map(([id]) => id as string);
  }

  /**
   * Makes a change of one tenant. If a webhook subscribes to its event, both are one transaction. Otherwise the change runs alone, in a
   * transaction if it has several statements.
   * `tell` returns the data of the event, or undefined if nothing changed.
   */
  async change<T>(
    { tenantId, service, type }: Pick<NewEvent, 'tenantId' | 'service' | 'type'>,
    change: (own: TenantTransaction) => Promise<T>,
    tell: (result: T) => Pick<NewEvent, 'subject' | 'data'> | undefined,
    { hasSeveral = false }: { hasSeveral?: boolean } = {},
  ): Promise<T> {
    const own = this.database.of(tenantId);
    if (!hasSeveral && !this.wants(tenantId, service, type)) return change(own);
    return own.$transaction(async (transaction) => {
      const result = await change(transaction);
      const data = tell(result);
      if (data) await this.store(transaction.acrossTenants('an event brings its tenant'), [{ tenantId, service, type, ...data }]);
      return result;
    });
  }

  /** Calls `listener` soon after events to send were stored on this node. */
  onStored(listener: () => void): void {
    this.listeners.push(listener);
  }

  private rowsOf(events: NewEvent[]): NewEventRow[] {
    const dueAt = new Date();
    return events.flatMap((event): NewEventRow[] => {
      const { tenantId, type, subject } = event;
      const listening = this.directory.find(tenantId, event.service, type);
      if (!listening) return [];
      const id = uuidv7();
      const body = bodyOf(id, event, new Date(timeOfId(id)));
      return listening.map(({ id: webhookId, isPolled }) => {
        return { webhookId, id, tenantId, type, subject, ...body, dueAt: isPolled ? null : dueAt };
      });
    });
  }

  private noticeSoon(rows: NewEventRow[]): void {
    if (rows.some(({ dueAt }) => dueAt !== null)) this.notice ??= setTimeout(() => this.notify(), COMMITTED_MS).unref();
  }

  private notify(): void {
    this.notice = undefined;
    for (const listener of this.listeners) listener();
  }
}
