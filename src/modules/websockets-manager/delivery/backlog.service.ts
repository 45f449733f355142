import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { lowestIdAt, timeOfId } from '../../../common/ids/ids.js';
import { Logger } from '../../../common/logging/logger.js';
import type { Batcher } from '../../../common/batching/batcher.js';
import { Batchers } from '../../../common/batching/batchers.js';
import { backlogPage, type BacklogMessage, hasBacklog, recipientsWithWaiting, waitingFor } from './backlog.queries.js';
import { MessageRecordsService } from '../records/message-records.service.js';
import { CONFIRMATION_MS } from '../models/message-states.js';
import { type RecipientKey, recipientKey } from '../models/recipient-key.js';
import type { Connection, Receipt } from '../sockets/connection.js';
import { Connections } from '../sockets/connections.js';
import { framesOf, globalFrame } from '../sockets/frame.js';
import { RECIPIENTS_PER_STATEMENT } from '../models/limits.js';

const PAGE = 50;
/** How much of a backlog may be unconfirmed at once, so that it cannot overwhelm its reader. */
const WINDOW_BYTES = 256 * 1024;
/** How many backlogs are read at once after the bus came back. */
const AT_ONCE = 10;
const RETRY_MS = 1_000;
/** How long before this node notices an outage messages may already be lost. */
const UNNOTICED_MS = 15_000;
/** How often a node looks for messages that nobody sent to its connections. */
const POLL_MS = 5_000;
/** A message that is sent as it should be has reached all nodes by then. */
const SENT_MS = 5_000;
/** How far behind the clock of the node that took a message may be: the id of the message has its time. */
const CLOCKS_MS = 60_000;

/**
 * Sends connections what waits for their recipients: a new one before newer pushes, and every one what a node stored and, since it
 * was killed or for whatever reason, did not send. So a message that may wait reaches a connected recipient within 30 s.
 */
@Injectable()
export class BacklogService {
  /** Looks for many connections at once: nearly none has a backlog, and after a restart thousands connect. */
  private readonly hasBacklog: Batcher<RecipientKey, boolean>;

  /** Until when all waiting messages were looked at, by the time of their ids. */
  private polledUntil = Date.now();
  private pollTimer: NodeJS.Timeout | undefined;
  private isStopped = false;

  /** For connections whose backlog was being sent when the bus came back: the first id that they may have missed. */
  private readonly missedFrom = new WeakMap<Connection, string>();

  constructor(
    private readonly database: Database,
    private readonly records: MessageRecordsService,
    private readonly connections: Connections,
    private readonly logger: Logger,
    batchers: Batchers,
  ) {
    const load = (wanted: RecipientKey[]) => hasBacklog(this.database, wanted);
    this.hasBacklog = batchers.create('backlogs', load, { maxLength: RECIPIENTS_PER_STATEMENT });
  }

  /** To be called once the connection is open, which holds new pushes until this is done. */
  async send(connection: Connection): Promise<void> {
    await this.records.flush();
    await this.sendAll(connection, undefined);
  }

  start(): void {
    this.pollTimer = setTimeout(() => void this.pollAgain(), POLL_MS).unref();
  }

  /** Ends the looks. The node that a recipient connects to next sends the rest. */
  stop(): void {
    this.isStopped = true;
    clearTimeout(this.pollTimer);
  }

  private async pollAgain(): Promise<void> {
    try {
      await this.sendUnsent();
    } catch (error) {
      this.logger.warn({ err: error }, 'messages that wait for connected recipients could not be looked for; trying again');
    }
    if (!this.isStopped) this.start();
  }

  /** Sends the connections of this node the waiting messages that are not on their way to them, whoever should have sent them. */
  private async sendUnsent(): Promise<void> {
    const until = Date.now() - SENT_MS;
    const window = { from: lowestIdAt(this.polledUntil - CLOCKS_MS), below: lowestIdAt(until) };
    const recipients = new Map<string, Set<string> | 'all'>();
    for (const some of inGroups(this.connections.tenantIds(), RECIPIENTS_PER_STATEMENT)) {
      for (const [tenantId, names] of await recipientsWithWaiting(this.database, some, window)) recipients.set(tenantId, names);
    }
    if (recipients.size > 0) await this.records.flush();
    for (const some of inGroups(this.withoutBacklog(recipients, until), RECIPIENTS_PER_STATEMENT)) {
      if (this.isStopped) return;
      const waiting = await waitingFor(this.database, some, window);
      const lacking = connectionsWithout(waiting.map(({ id, of }) => [id, of.connection]));
      if (lacking.size > 0) this.logger.info({ connections: lacking.size }, 'sending messages that no node has sent');
      for (const connection of lacking) void this.sendAgain(connection); // a slow reader holds up nobody else
    }
    this.polledUntil = until;
  }

  private async sendAgain(connection: Connection): Promise<void> {
    if (connection.held !== undefined || !connection.isOpen) return; // a backlog on its way brings it
    connection.hold();
    await this.sendAll(connection, undefined);
  }

  /** The connections of recipients that were there when the newest of the messages was stored, and get no backlog now. */
  private *withoutBacklog(recipients: Map<string, Set<string> | 'all'>, until: number) {
    for (const [tenant, names] of recipients) {
      for (const connection of this.connectionsOf(tenant, names)) {
        const { tenantId, recipient, topic, connectedAt } = connection.presence;
        if (connection.held !== undefined || connectedAt > until) continue;
        yield { tenantId, recipientKey: recipientKey(recipient), topic, connection };
      }
    }
  }

  private *connectionsOf(tenantId: string, names: Set<string> | 'all'): Generator<Connection> {
    if (names === 'all') return yield* this.connections.ofTenant(tenantId, null);
    for (const name of names) yield* this.connections.ofRecipient(tenantId, name, null);
  }

  /** Sends all connections of this node what the bus lost while it was down, including messages that cannot wait. */
  async sendMissed(sinceMs: number): Promise<void> {
    const from = Math.max(sinceMs - UNNOTICED_MS, Date.now() - CONFIRMATION_MS);
    const connections = this.connections[Symbol.iterator]();
    await this.records.flush();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const connection of connections) {
          const missedFrom = lowestIdAt(Math.max(from, connection.presence.connectedAt));
          if (connection.held) {
            // An earlier outage covers a later one.
            if (!this.missedFrom.has(connection)) this.missedFrom.set(connection, missedFrom);
            continue;
          }
          connection.hold();
          await this.sendAll(connection, missedFrom);
        }
      }),
    );
  }

  /** Tries again while the database is unavailable and the connection stays open. */
  private async sendAll(connection: Connection, fleetingFrom: string | undefined): Promise<void> {
    let from = fleetingFrom;
    while (connection.isOpen) {
      try {
        await this.sendPages(connection, from);
        from = this.missedFrom.get(connection);
        // The bus lost messages behind those just read: read again before anything else is sent.
        if (this.missedFrom.delete(connection)) continue;
        return connection.release((receipt) => this.records.sentRecorder(receipt)?.(connection.presence.recipient));
      } catch (error) {
        this.logger.warn({ err: error }, 'a backlog could not be read; trying again');
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
      }
    }
  }

  private async sendPages(connection: Connection, fleetingFrom: string | undefined): Promise<void> {
    const { tenantId, recipient, topic } = connection.presence;
    const key = recipientKey(recipient);
    if (fleetingFrom === undefined && !(await this.hasBacklog.add({ tenantId, recipientKey: key }))) return;
    const unconfirmed = connection.unconfirmedIds();
    const isSent = (id: string): boolean => unconfirmed.has(id) || connection.isSentFromBacklog(id);
    for (let after = ''; ;) {
      const query = { tenantId, recipientKey: key, topic, after, fleetingFrom, limit: PAGE };
      const { messages, more } = await backlogPage(this.database, query);
      for (const row of messages) if (!isSent(row.id)) await this.sendOne(connection, row);
      if (!more || !connection.isOpen) return;
      after = messages.at(-1)!.id;
    }
  }

  private async sendOne(connection: Connection, waiting: BacklogMessage): Promise<void> {
    const { tenantId, recipient } = connection.presence;
    const frame = frameOf(waiting, connection);
    while (connection.isOpen && connection.unconfirmedBytes > 0 && connection.unconfirmedBytes + frame.length > WINDOW_BYTES) {
      await connection.nextConfirmation();
    }
    if (!connection.isOpen || (waiting.expiresAt !== null && waiting.expiresAt <= Date.now())) return;
    const { id, global, topic, expiresAt } = waiting;
    const receipt: Receipt = { id, tenantId, global, topic, expiresAt, bytes: frame.length };
    connection.writeBacklog(frame, receipt);
    this.records.sentRecorder(receipt)?.(recipient);
  }
}

function frameOf({ id, global, message, topic, expiresAt }: BacklogMessage, { presence }: Connection): Buffer {
  const push = { tenantId: presence.tenantId, id, message, topic, expiresAt, createdAt: timeOfId(id) };
  if (global) return globalFrame(push);
  return framesOf({ ...push, messages: [] })({ id, recipient: presence.recipient });
}

/** Returns the connections to which a message is not on its way. */
function connectionsWithout(messages: [id: string, connection: Connection][]): Set<Connection> {
  const sent = new Map<Connection, Set<string>>();
  const lacking = new Set<Connection>();
  for (const [id, connection] of messages) {
    if (!sent.has(connection)) sent.set(connection, connection.unconfirmedIds());
    if (!sent.get(connection)!.has(id)) lacking.add(connection);
  }
  return lacking;
}

function* inGroups<T>(items: Iterable<T>, length: number): Generator<T[]> {
  let group: T[] = [];
  for (const item of items) {
    group.push(item);
    if (group.length < length) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
