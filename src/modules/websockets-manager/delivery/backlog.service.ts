import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { lowestIdAt, timeOfId } from '../../../common/base/ids.js';
import { Logger } from '../../../common/logging/logger.js';
import type { Batcher } from '../../../common/scheduling/batcher.js';
import { Batchers } from '../../../common/scheduling/batchers.js';
import {
  backlogPage,
  type BacklogMessage,
  hasBacklog,
  type Queued,
  queuedOf,
  type Waiting,
  waitingFor,
  type WaitingQuery,
} from './backlog.queries.js';
import { MessageRecordsService } from '../messages/message-records.service.js';
import { CONFIRMATION_MS } from '../messages/message-states.js';
import { type RecipientKey, recipientKey } from '../models/recipient-key.js';
import type { Connection, Receipt } from '../sockets/connection.js';
import { RewindService, type RewoundMessage } from './rewind.service.js';
import { TopicsService } from '../recipients/topics.service.js';
import { Connections } from '../sockets/connections.js';
import { framesOf, globalFrame } from '../sockets/frame.js';
import { RECIPIENTS_PER_STATEMENT } from '../models/limits.js';

const PAGE = 50;
/** Unconfirmed bytes of a backlog, bounded to protect slow clients. */
const WINDOW_BYTES = 256 * 1024;
/** Backlogs read concurrently after the bus has recovered. */
const AT_ONCE = 10;
const RETRY_MS = 1_000;
/** Time before the detection of an outage in which messages may have been lost. */
const UNNOTICED_MS = 15_000;
/** Poll interval for stored messages that no node sent to its connections. */
const POLL_MS = 5_000;
/** Maximum time for a message to reach all nodes. The poll skips younger messages. */
const SENT_MS = 5_000;
/** Maximum clock skew between nodes: an id contains the time of the accepting node. */
const CLOCKS_MS = 60_000;

type SendTerms = Pick<RewoundMessage, 'isReplayed' | 'isRecorded'>;
const IS_QUEUED: SendTerms = { isReplayed: false, isRecorded: true };

/**
 * Sends connections their queued messages: a new connection before newer pushes, every connection also messages stored but not sent, for
 * example by a killed node. A queued message reaches a connected recipient within 30 s.
 */
@Injectable()
export class BacklogService {
  /** Queries many recipients in one statement: few have a backlog, and thousands connect after a restart. */
  private readonly hasBacklog: Batcher<RecipientKey, boolean>;

  /** Creation time up to which queued messages have been polled. */
  private polledUntil = Date.now();
  private pollTimer: NodeJS.Timeout | undefined;
  private isStopped = false;
  /** Global messages for which an earlier poll looked at all connections. */
  private looked = new Set<string>();
  /** Connections at which the last poll did not look. The next one looks for all messages. */
  private passedOver = new Set<Connection>();

  /** First id that a connection may have missed, if the bus recovered while its backlog was being sent. */
  private readonly missedFrom = new WeakMap<Connection, string>();

  constructor(
    private readonly database: Database,
    private readonly records: MessageRecordsService,
    private readonly connections: Connections,
    private readonly rewind: RewindService,
    private readonly logger: Logger,
    batchers: Batchers,
    topics: TopicsService,
  ) {
    topics.onAdded = (connection) => void this.sendAgain(connection);
    const load = (wanted: RecipientKey[]) => hasBacklog(this.database, wanted);
    this.hasBacklog = batchers.create('backlogs', load, { maxLength: RECIPIENTS_PER_STATEMENT });
  }

  /** Sends the backlog of a new connection. The connection holds new pushes until this resolves. */
  send(connection: Connection): Promise<void> {
    return this.sendAll(connection, undefined);
  }

  start(): void {
    this.pollTimer = setTimeout(() => void this.pollAgain(), POLL_MS).unref();
  }

  /** Stops polling. The next node of each recipient sends the rest. */
  stop(): void {
    this.isStopped = true;
    clearTimeout(this.pollTimer);
  }

  private async pollAgain(): Promise<void> {
    try {
      await this.sendUnsent();
    } catch (error) {
      this.logger.warn({ err: error }, 'queued messages of connected recipients could not be read; retrying');
    }
    if (!this.isStopped) this.start();
  }

  /** Sends the connections of this node their queued messages that no node has sent. */
  private async sendUnsent(): Promise<void> {
    const until = Date.now() - SENT_MS;
    const window = { from: lowestIdAt(this.polledUntil - CLOCKS_MS), below: lowestIdAt(until) };
    const queued = new Map<string, Queued>();
    for (const some of inGroups(this.connections.tenantIds(), RECIPIENTS_PER_STATEMENT)) {
      for (const [tenantId, found] of await queuedOf(this.database, some, window)) queued.set(tenantId, found);
    }
    if (queued.size > 0) await this.records.flush();
    const named = [...queued.values()].map(({ globals }) => globals);
    const isNew = (id: string): boolean => !this.looked.has(id);
    const fresh = named.includes(undefined) ? undefined : named.flatMap((ids) => ids!.filter(isNew));
    const late = queued.size > 0 ? this.passedOver : new Set<Connection>();
    const others = without(late, this.connectionsOf(queued, isNew));
    const passedOver = new Set<Connection>();
    const isDone = [
      await this.look(candidates(late, until, passedOver), { window, globals: undefined }),
      await this.look(candidates(others, until, passedOver), { window, globals: fresh }),
    ];
    if (isDone.every(Boolean)) this.looked = new Set(named.flatMap((ids) => ids ?? []));
    this.passedOver = passedOver;
    this.polledUntil = until;
  }

  /** Sends connections their messages that no node has sent. Returns whether it looked at all of them. */
  private async look(candidates: Iterable<Candidate>, query: WaitingQuery): Promise<boolean> {
    let isDone = true;
    for (const some of inGroups(candidates, RECIPIENTS_PER_STATEMENT)) {
      if (this.isStopped) return false;
      const { messages, isAll } = await waitingFor(this.database, some, query);
      isDone &&= isAll; // the next poll returns the rest
      const unsent = connectionsWithout(messages.map(({ id, of }) => [id, of.connection]));
      if (unsent.size > 0) this.logger.info({ connections: unsent.size }, 'sending stored messages that no node has sent');
      for (const connection of unsent) void this.sendAgain(connection); // not awaited: a slow client must not delay others
    }
    return isDone;
  }

  /** Sends the backlog of an open connection again, without the messages that it has. */
  private async sendAgain(connection: Connection): Promise<void> {
    if (connection.held !== undefined || !connection.isOpen) return; // the backlog being sent includes the message
    connection.hold();
    await this.sendAll(connection, undefined);
  }

  /** Returns the connections of a tenant with a new global message, and otherwise those of the recipients. */
  private *connectionsOf(queued: Map<string, Queued>, isNew: (id: string) => boolean): Generator<Connection> {
    for (const [tenantId, { recipients, globals }] of queued) {
      if (recipients === 'all' || globals?.some(isNew)) yield* this.connections.ofTenant(tenantId, null);
      else for (const name of recipients) yield* this.connections.ofRecipient(tenantId, name, null);
    }
  }

  /** Sends all connections of this node the messages that the bus may have lost during an outage, including those that cannot wait. */
  async sendMissed(sinceMs: number): Promise<void> {
    const from = Math.max(sinceMs - UNNOTICED_MS, Date.now() - CONFIRMATION_MS);
    const connections = this.connections[Symbol.iterator]();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const connection of connections) {
          const missedFrom = lowestIdAt(Math.max(from, connection.presence.connectedAt));
          if (connection.held) {
            // Keep the id of an earlier outage, which covers the later one.
            if (!this.missedFrom.has(connection)) this.missedFrom.set(connection, missedFrom);
            continue;
          }
          connection.hold();
          await this.sendAll(connection, missedFrom);
        }
      }),
    );
  }

  /** Sends a backlog. Retries while the database is down and the connection stays open. */
  private async sendAll(connection: Connection, fleetingFrom: string | undefined): Promise<void> {
    let from = fleetingFrom;
    while (connection.isOpen) {
      try {
        const { topicsAt } = connection.presence;
        await this.sendPages(connection, from);
        if (connection.presence.topicsAt !== topicsAt) continue;
        from = this.missedFrom.get(connection);
        // Read messages lost in the meantime before sending anything else.
        if (this.missedFrom.delete(connection)) continue;
        return connection.release((receipt) => this.records.sentRecorder(receipt)?.(connection.presence.recipient));
      } catch (error) {
        this.logger.warn({ err: error }, 'a backlog could not be read; retrying');
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
      }
    }
  }

  private async sendPages(connection: Connection, fleetingFrom: string | undefined): Promise<void> {
    const { tenantId, recipient } = connection.presence;
    const key = recipientKey(recipient);
    // Frames confirmed so far read as DELIVERED after the flush. This list covers later confirmations.
    const unconfirmed = connection.unconfirmedIds();
    await this.records.flush();
    const isSent = (id: string): boolean => unconfirmed.has(id) || connection.isSentFromBacklog(id);
    for await (const row of this.rewind.messages(connection)) {
      if (!isSent(row.id)) await this.sendOne(connection, row, row);
      if (!connection.isOpen) return;
    }
    connection.rewind = undefined;
    if (fleetingFrom === undefined && !(await this.hasBacklog.add({ tenantId, recipientKey: key }))) return;
    for (let after = ''; ;) {
      const query = { tenantId, recipientKey: key, topics: connection.presence, after, fleetingFrom, limit: PAGE };
      const { messages, more } = await backlogPage(this.database, query);
      for (const row of messages) if (!isSent(row.id)) await this.sendOne(connection, row);
      if (!more || !connection.isOpen) return;
      after = messages.at(-1)!.id;
    }
  }

  private async sendOne(connection: Connection, waiting: BacklogMessage, terms: SendTerms = IS_QUEUED): Promise<void> {
    const { tenantId, recipient } = connection.presence;
    const frame = frameOf(waiting, connection, terms.isReplayed || undefined);
    while (connection.isOpen && connection.unconfirmedBytes > 0 && connection.unconfirmedBytes + frame.length > WINDOW_BYTES) {
      await connection.nextConfirmation();
    }
    if (!connection.isOpen || (waiting.expiresAt !== null && waiting.expiresAt <= Date.now())) return;
    const { id, global, topic, expiresAt } = waiting;
    const receipt: Receipt = { id, tenantId, global, topic, expiresAt, bytes: frame.length };
    if (!terms.isRecorded) receipt.isUnrecorded = true;
    connection.writeBacklog(frame, receipt);
    this.records.sentRecorder(receipt)?.(recipient);
  }
}

function frameOf(
  { id, global, message, topic, expiresAt, inbox }: BacklogMessage,
  { presence }: Connection,
  replayed: true | undefined,
): Buffer {
  const push = {
    tenantId: presence.tenantId,
    id,
    message,
    topic,
    expiresAt,
    createdAt: timeOfId(id),
    replayed,
    inbox: inbox || undefined,
  };
  if (global) return globalFrame(push);
  return framesOf({ ...push, messages: [] })({ id, recipient: presence.recipient });
}

type Candidate = Waiting & { connection: Connection };

/** Returns the connections open since before the newest message was stored, without a backlog being sent. Notes the others. */
function* candidates(connections: Iterable<Connection>, until: number, passedOver: Set<Connection>): Generator<Candidate> {
  for (const connection of connections) {
    const { tenantId, recipient, connectedAt } = connection.presence;
    if (connection.held !== undefined || connectedAt > until) passedOver.add(connection);
    else yield { tenantId, recipientKey: recipientKey(recipient), topics: connection.presence, connection };
  }
}

function* without<T>(left: Set<T>, items: Iterable<T>): Generator<T> {
  for (const item of items) if (!left.has(item)) yield item;
}

/** Returns the connections with at least one message that is not awaiting a confirmation. */
function connectionsWithout(messages: [id: string, connection: Connection][]): Set<Connection> {
  const sent = new Map<Connection, Set<string>>();
  const unsent = new Set<Connection>();
  for (const [id, connection] of messages) {
    if (!sent.has(connection)) sent.set(connection, connection.unconfirmedIds());
    if (!sent.get(connection)!.has(id)) unsent.add(connection);
  }
  return unsent;
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
