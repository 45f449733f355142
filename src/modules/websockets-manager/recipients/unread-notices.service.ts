import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { Logger } from '../../../common/logging/logger.js';
import type { Batcher } from '../../../common/scheduling/batcher.js';
import { Batchers } from '../../../common/scheduling/batchers.js';
import { Bus, BusDown } from '../bus/bus.js';
import { recipientKey } from '../models/recipient-key.js';
import { Connections } from '../sockets/connections.js';
import { inboxFrame } from '../sockets/frame.js';
import { unreadCounts } from './unread.queries.js';

/** Inboxes counted per statement: each may have MAX_UNREAD entries to read. */
const INBOXES_PER_STATEMENT = 50;

interface Inbox {
  tenantId: string;
  recipient: string;
}

/**
 * Tells connections the number of unread messages after a change. Each node reads the number itself, after the change and one statement
 * at a time, so the last frame of a connection is never older than the last change.
 */
@Injectable()
export class UnreadNoticesService {
  /** Inboxes to count next, by tenant and recipient. Changes in the meantime share a count. */
  private readonly noted = new Set<string>();
  private readonly counts: Batcher<Inbox, number>;

  constructor(
    private readonly database: Database,
    private readonly connections: Connections,
    private readonly bus: Bus,
    private readonly logger: Logger,
    batchers: Batchers,
  ) {
    const load = (inboxes: Inbox[]) => this.count(inboxes);
    this.counts = batchers.create('unread', load, { maxLength: INBOXES_PER_STATEMENT, tenantOf: ({ tenantId }) => tenantId });
  }

  /** Tells the connections of recipients on all nodes. Those on other nodes are told once the bus is up again. */
  async tell(tenantId: string, recipients: string[]): Promise<void> {
    this.tellHere(tenantId, recipients);
    try {
      const presences = await this.bus.elsewhere(tenantId, recipients);
      const byNode = new Map<string, Set<string>>();
      for (const { nodeId, recipient } of presences) byNode.set(nodeId, (byNode.get(nodeId) ?? new Set()).add(recipient));
      const sends = [...byNode].map(([nodeId, names]) =>
        this.bus.send(nodeId, { kind: 'inbox', tenantId, recipients: [...names] }),
      );
      await Promise.all(sends);
    } catch (error) {
      if (!(error instanceof BusDown)) throw error;
    }
  }

  /** Tells the connections of recipients to this node. */
  tellHere(tenantId: string, recipients: string[]): void {
    for (const recipient of recipients) {
      const key = JSON.stringify([tenantId, recipient]);
      if (this.noted.has(key) || !this.hasReader(tenantId, recipient)) continue;
      const inbox = { tenantId, recipient };
      this.noted.add(key);
      this.counts.add(inbox).then(
        (unread) => this.send(inbox, unread),
        (error: unknown) => this.logger.warn({ err: error }, 'the unread messages of a recipient could not be counted'),
      );
    }
  }

  /** Tells all connections of this node, as messages of other nodes may be lost. */
  tellAll(): void {
    for (const { readsInbox, presence } of this.connections)
      if (readsInbox) this.tellHere(presence.tenantId, [presence.recipient]);
  }

  private count(inboxes: Inbox[]): Promise<number[]> {
    // A change from now on needs another count.
    for (const { tenantId, recipient } of inboxes) this.noted.delete(JSON.stringify([tenantId, recipient]));
    const keys = inboxes.map(({ tenantId, recipient }) => ({ tenantId, recipientKey: recipientKey(recipient) }));
    return unreadCounts(this.database, keys);
  }

  private send({ tenantId, recipient }: Inbox, unread: number): void {
    const frame = inboxFrame(unread);
    for (const connection of this.connections.ofRecipient(tenantId, recipient, null)) {
      if (connection.readsInbox) connection.notify(frame);
    }
  }

  private hasReader(tenantId: string, recipient: string): boolean {
    return this.connections.ofRecipient(tenantId, recipient, null).some(({ readsInbox }) => readsInbox);
  }
}
