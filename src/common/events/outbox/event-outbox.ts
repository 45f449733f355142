import { Injectable } from '@nestjs/common';
import { Database, type Statements } from '../../database/database.js';
import type { TenantTransaction } from '../../database/tenant-database.js';
import { timeOfId, uuidv7 } from '../../ids/ids.js';
import type { Sql } from '../../database/sql/sql.js';
import { bodyOf } from './cloud-event.js';
import type { NewEvent, TenantService } from './event.js';
import { insertEvents, type NewEventRow } from './events.queries.js';
import { WebhookDirectory } from './webhook-directory.js';

/** How long after an insert its transaction has usually ended. A later one is found by the deliverer's poll. */
const COMMITTED_MS = 20;

/** Stores events in the transaction of the change that they tell of: the outbox pattern, so that no crash loses one. */
@Injectable()
export class EventOutbox {
  private readonly listeners: (() => void)[] = [];
  private notice?: NodeJS.Timeout;

  constructor(
    private readonly database: Database,
    private readonly directory: WebhookDirectory,
  ) {}

  /** Returns whether a webhook of the tenant wants any of the events. Without one, a change need not gather them. */
  wants(tenantId: string, service: TenantService, ...types: string[]): boolean {
    return types.some((type) => this.directory.find(tenantId, service, type) !== undefined);
  }

  /** Returns the tenants with a webhook that wants any of the events. */
  wantedBy(service: TenantService, ...types: string[]): string[] {
    return this.directory.tenantsWith(service, types);
  }

  /** Stores events in a transaction, for the webhooks that want them, in one statement. */
  async store(transaction: Statements, events: NewEvent[]): Promise<void> {
    const rows = this.rowsOf(events);
    if (rows.length === 0) return;
    await transaction.$executeRaw(insertEvents(this.database.dialect, rows));
    this.noticeSoon();
  }

  /**
   * Runs a statement and stores events, of which only those whose subject is there after it, in one transaction. Returns the rows of the
   * statement. Takes less time than a transaction of the client on SQLite, but the events must be known before.
   */
  async storeWith(statement: Sql, events: NewEvent[], isThere?: (subject: Sql) => Sql): Promise<unknown[][]> {
    const { dialect } = this.database;
    const everyTenant = this.database.acrossTenants('each event has the tenant of its change');
    const insert = insertEvents(dialect, this.rowsOf(events), isThere);
    const rows = await dialect.pick({
      sqlite: async () => (await everyTenant.$atomically([statement, insert]))[0]!,
      postgresql: () =>
        everyTenant.$transaction(async (transaction) => {
          const changed = await transaction.$queryRaw<object[]>(statement);
          await transaction.$executeRaw(insert);
          return changed.map((row) => Object.values(row) as unknown[]);
        }),
    })();
    this.noticeSoon();
    return rows;
  }

  /**
   * Makes a change of one tenant. If a webhook wants its event, both are one transaction; otherwise the change runs as it is.
   * `tell` returns what the event shows, or nothing if nothing changed.
   */
  async change<T>(
    { tenantId, service, type }: Pick<NewEvent, 'tenantId' | 'service' | 'type'>,
    change: (own: TenantTransaction) => Promise<T>,
    tell: (result: T) => Pick<NewEvent, 'subject' | 'data'> | undefined,
  ): Promise<T> {
    const own = this.database.of(tenantId);
    if (!this.wants(tenantId, service, type)) return change(own);
    return own.$transaction(async (transaction) => {
      const result = await change(transaction);
      const told = tell(result);
      if (told) await this.store(transaction.acrossTenants('an event brings its tenant'), [{ tenantId, service, type, ...told }]);
      return result;
    });
  }

  /** Calls `listener` soon after events were stored here. */
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

  private noticeSoon(): void {
    this.notice ??= setTimeout(() => this.notify(), COMMITTED_MS).unref();
  }

  private notify(): void {
    this.notice = undefined;
    for (const listener of this.listeners) listener();
  }
}
