import { Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import { Config } from '../../common/config/config.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { lowestIdAt, timeOfId } from '../../common/ids/ids.js';
import { Log } from '../../common/logging/log.js';
import { mayWait, waitingMessages, type WaitingMessage } from './backlog.queries.js';
import { MessageRecordsService } from './message-records.service.js';
import { CONFIRMATION_MS } from './message-states.js';
import { type RecipientKey, recipientKey } from './recipient-key.js';
import type { Connection, Receipt } from './sockets/connection.js';
import { Connections } from './sockets/connections.js';
import { framesOf, globalFrame } from './sockets/frame.js';

const PAGE = 50;
/** What may be unconfirmed while a backlog goes out, so that it cannot drown its reader. */
const WINDOW_BYTES = 256 * 1024;
/** Connections whose backlog is read at the same time after the bus came back. */
const AT_ONCE = 10;
const RETRY_MS = 1_000;
/** What was sent before this node noticed that the bus was down. */
const UNNOTICED_MS = 15_000;

/** What the first look at a database asks for at most. */
const MAX_LOOKED_FOR = 1_000;

/** Sends what waits to a recipient that connects, before what is pushed from then on. */
@Injectable()
export class BacklogService {
  /** For nearly all nothing waits, and after a restart thousands connect at once. */
  private readonly mayWait = new DataLoader(
    (recipients: readonly RecipientKey[]) => mayWait(this.prisma, this.config.isPostgres, recipients),
    { cache: false, maxBatchSize: MAX_LOOKED_FOR, batchScheduleFn: setImmediate },
  );

  /** Of connections whose backlog was on its way when the bus came back: from which id on they may have missed what cannot wait. */
  private readonly missed = new WeakMap<Connection, string>();

  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
    private readonly records: MessageRecordsService,
    private readonly connections: Connections,
    private readonly log: Log,
  ) {}

  /** To be called when the connection is open; until it is through, what is pushed is held. */
  async send(connection: Connection): Promise<void> {
    await this.records.flushed();
    await this.until(connection, undefined);
  }

  /** The bus was down: what it did not bring is sent to all connections of this node, also what cannot wait. */
  async sendMissed(sinceMs: number): Promise<void> {
    const from = Math.max(sinceMs - UNNOTICED_MS, Date.now() - CONFIRMATION_MS);
    const connections = this.connections[Symbol.iterator]();
    await this.records.flushed();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const connection of connections) {
          const missedFrom = lowestIdAt(Math.max(from, connection.presence.connectedAt));
          if (connection.held) {
            if (!this.missed.has(connection)) this.missed.set(connection, missedFrom); // the earlier outage covers the later
            continue;
          }
          connection.hold();
          await this.until(connection, missedFrom);
        }
      }),
    );
  }

  /** The database may be gone for a moment; a connection that stays then gets its backlog later. */
  private async until(connection: Connection, fleetingFrom: string | undefined): Promise<void> {
    let from = fleetingFrom;
    while (connection.isOpen) {
      try {
        await this.sendAll(connection, from);
        from = this.missed.get(connection);
        // Behind what was read, and it did not come over the bus either: read again, before anything else goes out.
        if (this.missed.delete(connection)) continue;
        return connection.release((receipt) => this.records.noteOfSent(receipt)?.(connection.presence.recipient));
      } catch (error) {
        this.log.warn({ err: error }, 'a backlog could not be read; it will be tried again');
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
      }
    }
  }

  private async sendAll(connection: Connection, fleetingFrom: string | undefined): Promise<void> {
    const { tenantId, recipient, topic } = connection.presence;
    const key = recipientKey(recipient);
    if (fleetingFrom === undefined && !(await this.mayWait.load({ tenantId, recipientKey: key }))) return;
    const underWay = connection.underWay();
    const isSent = (id: string): boolean => underWay.has(id) || connection.isSentOfBacklog(id);
    for (let after = ''; ;) {
      const query = { tenantId, recipientKey: key, topic, after, fleetingFrom, limit: PAGE };
      const { messages, more } = await waitingMessages(this.prisma, this.config.isPostgres, query);
      for (const row of messages) if (!isSent(row.id)) await this.sendOne(connection, row);
      if (!more || !connection.isOpen) return;
      after = messages.at(-1)!.id;
    }
  }

  private async sendOne(connection: Connection, waiting: WaitingMessage): Promise<void> {
    const { tenantId, recipient } = connection.presence;
    const frame = frameOf(waiting, connection);
    while (connection.isOpen && connection.unconfirmedBytes > 0 && connection.unconfirmedBytes + frame.length > WINDOW_BYTES) {
      await connection.confirmation();
    }
    if (!connection.isOpen || (waiting.expiresAt !== null && waiting.expiresAt <= Date.now())) return;
    const { id, global, topic, expiresAt } = waiting;
    const receipt: Receipt = { id, tenantId, global, topic, expiresAt, bytes: frame.length };
    connection.writeBacklog(frame, receipt);
    this.records.noteOfSent(receipt)?.(recipient);
  }
}

function frameOf({ id, global, message, topic, expiresAt }: WaitingMessage, { presence }: Connection): Buffer {
  const push = { tenantId: presence.tenantId, id, message, topic, expiresAt, createdAt: timeOfId(id) };
  if (global) return globalFrame(push);
  return framesOf({ ...push, messages: [] })({ id, recipient: presence.recipient });
}
