import { setTimeout } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Batcher } from '../../../common/scheduling/batcher.js';
import { Batchers } from '../../../common/scheduling/batchers.js';
import { inTime } from '../../../common/base/in-time.js';
import { Database } from '../../../common/database/database.js';
import { isDatabaseUnavailable, isWriteConflict } from '../../../common/base/database-faults.js';
import { EventOutbox } from '../../../common/events/outbox/event-outbox.js';
import { Logger } from '../../../common/logging/logger.js';
import { Bus, type PresenceListener } from '../bus/bus.js';
import { RECIPIENTS_PER_STATEMENT } from '../models/limits.js';

const SERVICE = 'websockets-manager';
type RecipientEvent = 'RECIPIENT_ONLINE' | 'RECIPIENT_OFFLINE';

/** Events queued while the database is down. */
const MAX_UNWRITTEN = 100_000;
const RETRY_MS = 500;
/** Time that a shutdown waits for the database. */
const FLUSH_MS = 5_000;

interface Change {
  tenantId: string;
  recipient: string;
  type: RecipientEvent;
  at: Date;
}

/**
 * Stores events of recipients going online and offline. Their source is Redis or the connections of this node, not a row. An event is lost
 * if its node crashes before storing it, or if Redis loses its data or a response at that moment. All others are stored once, in order, as
 * soon as the database accepts them.
 */
@Injectable()
export class RecipientEventsService implements PresenceListener, OnApplicationShutdown {
  private readonly changes: Batcher<Change>;
  private unwritten = 0;
  private isClosed = false;

  constructor(
    private readonly database: Database,
    private readonly outbox: EventOutbox,
    private readonly logger: Logger,
    batchers: Batchers,
    bus: Bus,
  ) {
    bus.presenceListener = this;
    const maxLength = RECIPIENTS_PER_STATEMENT;
    this.changes = batchers.create('recipient_events', (some) => this.write(some), { maxLength });
  }

  /** Tenants subscribed to these events. */
  get tenantIds(): string[] {
    return this.outbox.wantedBy(SERVICE, 'RECIPIENT_ONLINE', 'RECIPIENT_OFFLINE');
  }

  wants(tenantId: string): boolean {
    return this.outbox.wants(tenantId, SERVICE, 'RECIPIENT_ONLINE', 'RECIPIENT_OFFLINE');
  }

  cameOnline(tenantId: string, recipients: string[]): void {
    this.add('RECIPIENT_ONLINE', tenantId, recipients);
  }

  wentOffline(tenantId: string, recipients: string[]): void {
    this.add('RECIPIENT_OFFLINE', tenantId, recipients);
  }

  /** Stores all remaining events. The last connections have closed by then. Gives up after FLUSH_MS. */
  async onApplicationShutdown(): Promise<void> {
    await inTime(this.changes.close(), FLUSH_MS, 'the events of recipients were not written in time').catch(() => undefined);
    this.isClosed = true;
  }

  private add(type: RecipientEvent, tenantId: string, recipients: string[]): void {
    if (!this.outbox.wants(tenantId, SERVICE, type)) return;
    const room = Math.max(0, MAX_UNWRITTEN - this.unwritten);
    if (recipients.length > room)
      this.logger.error({ count: recipients.length - room }, 'events of recipients were dropped: the queue is full');
    const at = new Date();
    for (const recipient of recipients.slice(0, room)) {
      this.unwritten++;
      void this.changes.add({ type, tenantId, recipient, at });
    }
  }

  /** Stores events. Retries until the database accepts them, to preserve their order. Never rejects. */
  private async write(changes: Change[]): Promise<void> {
    const events = changes.map(({ tenantId, type, recipient, at }) => {
      return { tenantId, service: SERVICE, type, subject: recipient, data: { recipient, at } } as const;
    });
    const store = this.outbox.storing(events);
    while (!(await this.isWritten(store)) && !this.isClosed) await setTimeout(RETRY_MS, undefined, { ref: false });
    this.unwritten -= changes.length;
  }

  private async isWritten(store: ReturnType<EventOutbox['storing']>): Promise<boolean> {
    try {
      await store(this.database.acrossTenants('each event has the tenant of its recipient'));
      return true;
    } catch (error) {
      if (isDatabaseUnavailable(error) || isWriteConflict(error)) return false;
      this.logger.error({ err: error }, 'events of recipients could not be written');
      return true;
    }
  }
}
