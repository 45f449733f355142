import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { Logger } from '../../../common/logging/logger.js';
import { everySecond } from '../../../common/scheduling/every-second.js';
import { Batcher } from '../../../common/scheduling/batcher.js';
import { TenantSemaphore } from '../../../common/scheduling/tenant-semaphore.js';
import { SocketMetrics } from '../metrics/socket-metrics.js';
import { BEAT_MS } from '../models/limits.js';
import { allTopics } from '../models/topics.js';
import { CLOSE, type Closer, type Output } from './closing.js';
import { Connection, type Receipt } from './connection.js';
import { Connections } from './connections.js';
import { Flusher } from './flusher.js';
import type { Admission, AdmissionRequest, Refusal, SocketListener } from './socket-listener.js';

const MAX_INBOUND_PER_MINUTE = 1024 * 1024;
const MINUTE_MS = 60_000;
const MISSED_HEARTBEATS = 2;
/** Concurrent openings. They share one query, and continue in one turn of the event loop. */
const MAX_UNDECIDED = 100;
/** Time that an opening waits for a slot, below the 30 s after which clients retry. A refused one returns later, after a growing pause. */
const MAX_UNDECIDED_MS = 25_000;
/**
 * Time for which openings are collected. Those of one interval take each step together, in one command or statement: 10,000 take half of
 * the processor time of single ones.
 */
const GATHER_MS = 10;
/** Semaphore key of all openings: the tenant is unknown until the token is read. */
const ANYONE = '';
/** Maximum time over which a shutdown spreads closing. Clients reconnect at once: those that other nodes cannot serve yet wait longer. */
const SPREAD_MS = 4_000;
const PORTION_MS = 50;
const MIN_PORTION = 50;
/** Time that a shutdown waits for clients to answer the close frame. */
const STOP_MS = 2_000;

const NODE_IS_FULL: Refusal = { status: 503, message: 'This node has reached its maximum number of connections; retry later' };

/** Opens and ends the connections of both transports. Closes those with a dead client, an expired token or too much inbound data. */
@Injectable()
export class ConnectionLifecycle {
  /** Lowered in tests. */
  maxInboundPerMinute = MAX_INBOUND_PER_MINUTE;
  listener!: SocketListener;
  /** Called with each opened connection. */
  onOpened!: (connection: Connection) => void;
  readonly flusher = new Flusher();
  /** Number of sockets opened only to send a close code. */
  closingOnly = 0;
  /** Limits concurrent openings. After a restart, thousands of simultaneous ones would delay other requests for seconds. */
  private readonly undecided = new TenantSemaphore({
    capacity: MAX_UNDECIDED,
    share: MAX_UNDECIDED,
    maxWaitMs: MAX_UNDECIDED_MS,
    maxWaitingOfTenant: Infinity,
    busy: 'Too many clients are connecting to this node; retry later',
  });
  private readonly gathered = new Batcher(async () => undefined, { maxLength: MAX_UNDECIDED, flushIntervalMs: GATHER_MS });
  /** Open and closing connections. */
  private readonly open = new Set<Connection>();
  private readonly ending = new Set<Promise<void>>();
  private stopping = false;
  private phase = 0;
  private stopBeating: (() => void) | undefined;

  constructor(
    private readonly config: Config,
    private readonly connections: Connections,
    private readonly metrics: SocketMetrics,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.stopBeating = everySecond(() => this.beat());
  }

  /** Closes all connections in portions, and waits for the listener to handle the end of each. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.stopBeating?.();
    await this.closeAll();
    const deadline = performance.now() + STOP_MS;
    while (this.open.size > 0 && performance.now() < deadline) await delay(20);
    await Promise.allSettled(this.ending);
  }

  private async closeAll(): Promise<void> {
    const connections = [...this.connections];
    const portion = Math.max(MIN_PORTION, Math.ceil((connections.length * PORTION_MS) / SPREAD_MS));
    for (let from = 0; from < connections.length; from += portion) {
      if (from > 0) await delay(PORTION_MS);
      for (const connection of connections.slice(from, from + portion)) connection.close(CLOSE.goingAway);
    }
  }

  /** Decides on a client in a slot, unless it disconnects first. @throws SERVICE_UNAVAILABLE if no slot was free for MAX_UNDECIDED_MS */
  async inSlot(socket: Socket, decide: () => Promise<void>): Promise<void> {
    if (!this.undecided.tryTake(ANYONE, 1) && !(await this.takesSlot(socket))) return;
    try {
      await this.gathered.add(undefined);
      await decide();
    } finally {
      this.undecided.release(ANYONE, 1);
    }
  }

  private async takesSlot(socket: Socket): Promise<boolean> {
    const left = new AbortController();
    const leave = (): void => left.abort();
    socket.once('close', leave);
    try {
      await this.undecided.take(ANYONE, 1, { signal: left.signal });
      return true;
    } catch (error) {
      if (left.signal.aborted) return false;
      throw error;
    } finally {
      socket.off('close', leave);
    }
  }

  /** Accepts or rejects a client by its token. */
  async admit(request: AdmissionRequest): Promise<Admission | Refusal> {
    return this.stopping || this.isFull ? NODE_IS_FULL : this.listener.admit(request);
  }

  private get isFull(): boolean {
    return this.connections.count + this.closingOnly >= this.config.maxConnections;
  }

  /** Returns a refusal for a connection beyond a bound. Called in the turn that adds it: many open at once. */
  private beyondBounds({ tenantId, ...topics }: Admission['presence']): Refusal | undefined {
    if (this.isFull) return NODE_IS_FULL;
    if (this.connections.countOf(tenantId) >= this.config.maxConnectionsPerTenant) {
      return { status: 503, message: 'The tenant has reached its maximum number of connections; close some first' };
    }
    if (this.connections.hasRoomFor(tenantId, allTopics(topics).length, this.config)) return undefined;
    return { status: 503, message: 'This node has reached its maximum number of topics; retry later' };
  }

  /**
   * Joins a connection within the bounds of the node and the tenant, before opening it: every push made after the client sees it open then finds it. Returns a refusal if it must not
   * open; `open` leaves it unopened if the client has disconnected.
   */
  async join(admission: Admission, output: Output, open: (connection: Connection) => void): Promise<Refusal | undefined> {
    const beyond = this.beyondBounds(admission.presence);
    if (beyond) return beyond;
    const connection = new Connection(admission.presence, output, this.flusher.mark, this.onClosing);
    connection.acknowledges = admission.acknowledges;
    connection.endsAt = admission.endsAt;
    connection.rewind = admission.rewind;
    connection.readsInbox = admission.readsInbox;
    connection.tokenIssuedAt = admission.tokenIssuedAt;
    this.connections.add(connection);
    try {
      const refusal = (await this.listener.join(connection)) ?? connection.closed;
      if (refusal) return refusal;
      if (this.stopping) return { status: 503, message: 'This node is shutting down; retry' };
      open(connection);
      return undefined;
    } finally {
      if (!connection.hasOpened) this.end(connection);
    }
  }

  opened(connection: Connection, closer: Closer, heartbeatSeconds: number): void {
    connection.open(closer);
    connection.beat = { seconds: heartbeatSeconds, phase: this.phase++ % heartbeatSeconds };
    this.open.add(connection);
    this.metrics.openedWebSockets.inc();
    this.metrics.webSockets.set(this.connections.count);
    this.onOpened(connection);
  }

  /** Called once the transport of an opened connection is closed. */
  closed(connection: Connection, code: string): void {
    this.metrics.closedWebSockets.inc({ code });
    this.open.delete(connection);
    this.end(connection);
  }

  confirmed({ presence }: Pick<Connection, 'presence'>, receipts: Receipt[]): void {
    if (receipts.length > 0) this.listener.confirmed(presence.recipient, receipts);
  }

  /** Closes the connection of a client that sends too much. `bytes` is what it has sent so far. */
  meter(connection: Connection, bytes: number): void {
    const { minute } = connection;
    const now = performance.now();
    if (now - minute.since >= MINUTE_MS) connection.minute = { since: now, bytes };
    else if (bytes - minute.bytes > this.maxInboundPerMinute) connection.close(CLOSE.tooMuch);
  }

  private async leave(connection: Connection): Promise<void> {
    if (!this.connections.remove(connection)) return;
    this.metrics.webSockets.set(this.connections.count);
    await this.listener.left(connection);
  }

  /** Called once no further confirmation can arrive. */
  private end(connection: Connection): void {
    const ending = this.leave(connection)
      .then(() => this.listener.ended(connection))
      .catch((error: unknown) => this.logger.error({ err: error }, 'the messages of a closed connection could not be updated'))
      .finally(() => this.ending.delete(ending));
    this.ending.add(ending);
  }

  private readonly onClosing = (connection: Connection): void => {
    this.leave(connection).catch((error: unknown) => this.logger.error({ err: error }, 'failed to unregister a connection'));
  };

  /** Pings the connections of the current phase, each second. Each connection is pinged once per heartbeat interval. */
  private beat(): void {
    const [now, time] = [performance.now(), Date.now()];
    const second = Math.floor(now / BEAT_MS);
    for (const connection of this.connections) {
      if (connection.endsAt <= time && connection.hasOpened) connection.close(CLOSE.badToken);
      const { seconds, phase } = connection.beat;
      if (second % seconds !== phase || !connection.isOpen || !connection.hasOpened) continue;
      if (connection.missedHeartbeats >= MISSED_HEARTBEATS) connection.close(CLOSE.heartbeat);
      else connection.heartbeat(now);
    }
  }
}
