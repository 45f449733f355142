import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { lowestIdAt, timeOfId } from '../../../common/base/ids.js';
import { Logger } from '../../../common/logging/logger.js';
import type { Batcher } from '../../../common/scheduling/batcher.js';
import { Batchers } from '../../../common/scheduling/batchers.js';
import { backlogPage, type BacklogMessage, hasBacklog, recipientsWithWaiting, waitingFor } from './backlog.queries.js';
import { MessageRecordsService } from '../messages/message-records.service.js';
import { CONFIRMATION_MS } from '../messages/message-states.js';
import { type RecipientKey, recipientKey } from '../models/recipient-key.js';
import type { Connection, Receipt } from '../sockets/connection.js';
import { Connections } from '../sockets/connections.js';
import { framesOf, globalFrame } from '../sockets/frame.js';
import { RECIPIENTS_PER_STATEMENT } from '../models/limits.js';

const PAGE = 50;
/** How many bytes of a backlog may be unconfirmed, so that a slow client is not overwhelmed. */
const WINDOW_BYTES = 256 * 1024;
/** How many backlogs are read concurrently after the bus has recovered. */
const AT_ONCE = 10;
const RETRY_MS = 1_000;
/** How long messages may have been lost before this node noticed the outage. */
const UNNOTICED_MS = 15_000;
/** How often a node queries messages that no node sent to its connections. */
const POLL_MS = 5_000;
/** How long a message takes to reach all nodes at most. Younger messages are not queried. */
const SENT_MS = 5_000;
/** How far the clock of another node may be behind: the id of a message has the time of the node that accepted it. */
const CLOCKS_MS = 60_000;

/**
 * Sends connections the messages that wait for their recipients. A new connection gets them before newer pushes. All connections
 * also get messages that a node stored but did not send, such as because it was killed. So a message that may wait reaches a
 * connected recipient within 30 s.
 */
@Injectable()
export class BacklogService {
  /** Queries many recipients in one statement: few have a backlog, and after a restart thousands connect. */
  private readonly hasBacklog: Batcher<RecipientKey, boolean>;

  /** The creation time up to which waiting messages have been queried. */
  private polledUntil = Date.now();
  private pollTimer: NodeJS.Timeout | undefined;
  private isStopped = false;

  /** The first id that a connection may have missed, for connections whose backlog was being sent when the bus recovered. */
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

  /** Sends the backlog of a connection that has just opened. The connection holds new pushes until this resolves. */
  send(connection: Connection): Promise<void> {
    return this.sendAll(connection, undefined);
  }

  start(): void {
    this.pollTimer = setTimeout(() => void this.pollAgain(), POLL_MS).unref();
  }

  /** Stops polling. The node that a recipient connects to next sends the rest. */
  stop(): void {
    this.isStopped = true;
    clearTimeout(this.pollTimer);
  }

  private async pollAgain(): Promise<void> {
    try {
      await this.sendUnsent();
    } catch (error) {
      this.logger.warn({ err: error }, 'messages that wait for connected recipients could not be queried; trying again');
    }
    if (!this.isStopped) this.start();
  }

  /** Sends the connections of this node the waiting messages that no node has sent to them. */
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
      for (const connection of lacking) void this.sendAgain(connection); // not awaited: a slow client must not delay others
    }
    this.polledUntil = until;
  }

  private async sendAgain(connection: Connection): Promise<void> {
    if (connection.held !== undefined || !connection.isOpen) return; // the backlog that is being sent includes the message
    connection.hold();
    await this.sendAll(connection, undefined);
  }

  /** Returns the connections that were open when the newest of the messages was stored, and that are not being sent a backlog. */
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

  /**
   * Sends all connections of this node the messages that the bus may have lost during an outage, including messages that cannot
   * wait.
   */
  async sendMissed(sinceMs: number): Promise<void> {
    const from = Math.max(sinceMs - UNNOTICED_MS, Date.now() - CONFIRMATION_MS);
    const connections = this.connections[Symbol.iterator]();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const connection of connections) {
          const missedFrom = lowestIdAt(Math.max(from, connection.presence.connectedAt));
          if (connection.held) {
            // The id of an earlier outage is kept, since it covers the later outage too.
            if (!this.missedFrom.has(connection)) this.missedFrom.set(connection, missedFrom);
            continue;
          }
          connection.hold();
          await this.sendAll(connection, missedFrom);
        }
      }),
    );
  }

  /** Sends a backlog. Tries again while the database is unavailable and the connection stays open. */
  private async sendAll(connection: Connection, fleetingFrom: string | undefined): Promise<void> {
    let from = fleetingFrom;
    while (connection.isOpen) {
      try {
        await this.sendPages(connection, from);
        from = this.missedFrom.get(connection);
        // The bus lost messages after those just read, so they are read before anything else is sent.
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
    // Frames confirmed by now are read as DELIVERED after the flush; those confirmed later are among these.
    const unconfirmed = connection.unconfirmedIds();
    await this.records.flush();
    if (fleetingFrom === undefined && !(await this.hasBacklog.add({ tenantId, recipientKey: key }))) return;
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

/** Returns the connections on which at least one of their messages is not waiting for a confirmation. */
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
