import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { type WebSocket, WebSocketServer } from 'ws';
import { everySecond } from '../../../common/scheduling/every-second.js';
import { TenantSemaphore } from '../../../common/scheduling/tenant-semaphore.js';
import { Config } from '../../../common/config/config.js';
import { PublicAddress } from '../../../common/http/public-address.js';
import { asksForWebSocket } from '../../../common/http/upgrades.js';
import { Logger } from '../../../common/logging/logger.js';
import { SocketMetrics } from '../metrics/socket-metrics.js';
import { CLOSE, type Closing } from './closing.js';
import { Connection, type Receipt } from './connection.js';
import { Connections } from './connections.js';
import { Flusher } from './flusher.js';
import { acknowledgedId, sequenceOf } from './frame.js';
import { handshakeFault, refuseUpgrade, serveWithoutUpgrade } from './upgrades/upgrade-answers.js';
import type { Admission, Refusal, SocketListener } from './socket-listener.js';
import { hostOf, sourceOf } from './upgrades/source-address.js';
import { BEAT_MS } from '../models/limits.js';
import { allTopics } from '../models/topics.js';

const MAX_INBOUND_MESSAGE = 4 * 1024;
const MAX_INBOUND_PER_MINUTE = 1024 * 1024;
const MINUTE_MS = 60_000;
const MISSED_HEARTBEATS = 2;
/** Concurrent upgrades. They share one query, and continue in one turn of the event loop. */
const MAX_UNDECIDED = 100;
/** Time that an upgrade waits for a slot. Clients retry afterwards. */
const MAX_UNDECIDED_MS = 10_000;
/** Semaphore key of all upgrades: the tenant is unknown until the token is read. */
const ANYONE = '';
/** Time that a shutdown waits for clients to answer the close frame. */
const STOP_MS = 2_000;

interface Upgrade {
  server: Server;
  path: string;
  request: IncomingMessage;
  socket: Socket;
  head: Buffer;
}

/** Accepts WebSocket connections. Closes those with a dead client, a slow reader or too much inbound data. */
@Injectable()
export class SocketServer {
  /** Lowered in tests. */
  maxInboundPerMinute = MAX_INBOUND_PER_MINUTE;
  listener!: SocketListener;
  /** Called with each opened connection. */
  onOpened!: (connection: Connection) => void;
  readonly flusher = new Flusher();
  private readonly handshakes = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_INBOUND_MESSAGE,
  });
  private readonly sourceOf: (request: IncomingMessage) => string;
  private readonly hostOf: (request: IncomingMessage) => string;
  /** Limits concurrent upgrades. After a restart, thousands of simultaneous upgrades would delay other requests for seconds. */
  private readonly undecided = new TenantSemaphore({
    capacity: MAX_UNDECIDED,
    share: MAX_UNDECIDED,
    maxWaitMs: MAX_UNDECIDED_MS,
    maxWaitingOfTenant: Infinity,
    busy: 'Too many clients are connecting to this node; retry later',
  });
  /** Open and closing connections. */
  private readonly open = new Set<Connection>();
  private readonly ending = new Set<Promise<void>>();
  /** Number of sockets opened only to send a close code. */
  private closingOnly = 0;
  private stopping = false;
  private phase = 0;
  private stopBeating: (() => void) | undefined;

  constructor(
    private readonly config: Config,
    private readonly address: PublicAddress,
    private readonly connections: Connections,
    private readonly metrics: SocketMetrics,
    private readonly logger: Logger,
  ) {
    this.sourceOf = sourceOf(config.trustProxy);
    this.hostOf = hostOf(config.trustProxy);
  }

  /** Handles the upgrades of an HTTP server, on all paths. */
  listen(server: Server, path: string): void {
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      void this.take({ server, path, request, socket, head });
    });
    this.stopBeating = everySecond(() => this.beat());
  }

  /** Closes all connections, and waits for the listener to handle the end of each. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.stopBeating?.();
    for (const connection of this.connections) connection.close(CLOSE.goingAway);
    const deadline = performance.now() + STOP_MS;
    while (this.open.size > 0 && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
    await Promise.allSettled(this.ending);
  }

  private async take(upgrade: Upgrade): Promise<void> {
    const { server, request, socket, head } = upgrade;
    if (!asksForWebSocket(request)) return serveWithoutUpgrade(server, request, socket, head);
    socket.on('error', destroy);
    if (!(await this.takesSlot(upgrade))) return;
    try {
      await this.decide(upgrade);
    } catch (error) {
      this.logger.error({ err: error }, 'an upgrade failed');
      socket.destroy();
    } finally {
      this.undecided.release(ANYONE, 1);
    }
  }

  /** Waits for an upgrade slot. Returns false if the client disconnected, or was rejected after MAX_UNDECIDED_MS. */
  private async takesSlot(upgrade: Upgrade): Promise<boolean> {
    if (this.undecided.tryTake(ANYONE, 1)) return true;
    const left = new AbortController();
    const leave = (): void => left.abort();
    upgrade.socket.once('close', leave);
    try {
      await this.undecided.take(ANYONE, 1, { signal: left.signal });
      return true;
    } catch (error) {
      if (!left.signal.aborted) this.refuse(upgrade, { status: 503, message: (error as Error).message });
      return false;
    } finally {
      upgrade.socket.off('close', leave);
    }
  }

  private async decide(upgrade: Upgrade): Promise<void> {
    const { path, request } = upgrade;
    const [asked, query] = (request.url ?? '').split('?', 2);
    if (asked !== path || !this.address.serves(this.hostOf(request))) {
      return this.refuse(upgrade, { status: 404, message: 'WebSockets are served only at /?token=…' });
    }
    const fault = handshakeFault(request);
    if (fault) return this.refuse(upgrade, fault);
    if (this.stopping || this.connections.count + this.closingOnly >= this.config.maxConnections) {
      return this.refuse(upgrade, {
        status: 503,
        message: 'This node has reached its maximum number of connections; retry later',
      });
    }
    const token = new URLSearchParams(query).get('token') ?? '';
    const origin = request.headers.origin?.toLowerCase();
    const answer = await this.listener.admit({ token, source: this.sourceOf(request), origin });
    if (!('presence' in answer)) return this.refuse(upgrade, answer);
    if (this.connections.countOf(answer.presence.tenantId) >= this.config.maxConnectionsPerTenant) {
      return this.refuse(upgrade, {
        status: 503,
        message: 'The tenant has reached its maximum number of connections; close some first',
      });
    }
    if (!this.connections.hasRoomFor(answer.presence.tenantId, allTopics(answer.presence).length, this.config)) {
      return this.refuse(upgrade, { status: 503, message: 'This node has reached its maximum number of topics; retry later' });
    }
    await this.join(upgrade, answer);
  }

  /** Joins the connection before opening it: every push made after the client sees it open then finds it. */
  private async join(upgrade: Upgrade, admission: Admission): Promise<void> {
    const connection = new Connection(admission.presence, upgrade.socket, this.flusher.mark, this.onClosing);
    connection.acknowledges = admission.acknowledges;
    connection.endsAt = admission.endsAt;
    connection.rewind = admission.rewind;
    connection.tokenIssuedAt = admission.tokenIssuedAt;
    this.connections.add(connection);
    try {
      const refusal = (await this.listener.join(connection)) ?? connection.closed;
      if (refusal) this.refuse(upgrade, refusal);
      else if (this.stopping) this.refuse(upgrade, { status: 503, message: 'This node is shutting down; retry' });
      else this.shakeHands(upgrade, connection);
    } finally {
      if (!connection.hasOpened) this.end(connection);
    }
  }

  private shakeHands({ request, socket, head }: Upgrade, connection: Connection): void {
    if (socket.destroyed) return;
    this.handshakes.handleUpgrade(request, socket, head, (webSocket) => this.attend(connection, socket, webSocket));
  }

  /** Attaches listeners. Separate method, so that no closure retains the request for the life of the connection. */
  private attend(connection: Connection, socket: Socket, webSocket: WebSocket): void {
    connection.open(webSocket);
    this.open.add(connection);
    webSocket.on('pong', (payload) => this.ponged(connection, payload));
    // Added after the listener of ws, which has then already handled the pongs in these bytes.
    socket.on('data', () => this.meter(connection, socket));
    if (connection.acknowledges)
      webSocket.on('message', (data, isBinary) => this.acknowledged(connection, isBinary ? '' : String(data)));
    webSocket.on('error', ignore); // ws closes the connection with the right code for each protocol violation
    webSocket.once('close', (code) => {
      this.metrics.closedWebSockets.inc({ code: codeOf(connection, code) });
      this.open.delete(connection);
      this.end(connection);
    });
    connection.phase = this.phase++ % this.config.heartbeatSeconds;
    this.metrics.openedWebSockets.inc();
    this.metrics.webSockets.set(this.connections.count);
    this.onOpened(connection);
  }

  private ponged(connection: Connection, payload: Buffer): void {
    const sequence = sequenceOf(payload);
    if (sequence === undefined) return;
    connection.creditPong(payload.length);
    this.confirmed(connection, connection.confirm(sequence));
  }

  private acknowledged(connection: Connection, text: string): void {
    const id = acknowledgedId(text);
    if (id !== undefined) this.confirmed(connection, connection.acknowledge(id));
  }

  private confirmed(connection: Connection, receipts: Receipt[]): void {
    if (receipts.length > 0) this.listener.confirmed(connection, receipts);
  }

  /** Closes the connection of a client that sends too much. Exempts pongs to our pings. */
  private meter(connection: Connection, socket: Socket): void {
    const { minute } = connection;
    const bytes = socket.bytesRead - connection.pongBytes;
    const now = performance.now();
    if (now - minute.since >= MINUTE_MS) connection.minute = { since: now, bytes };
    else if (bytes - minute.bytes > this.maxInboundPerMinute) connection.close(CLOSE.tooMuch);
  }

  private async leave(connection: Connection): Promise<void> {
    if (!this.connections.remove(connection)) return;
    this.metrics.webSockets.set(this.connections.count);
    await this.listener.left(connection);
  }

  /** Called once the socket is closed and no further confirmation can arrive. */
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
    const phase = Math.floor(now / BEAT_MS) % this.config.heartbeatSeconds;
    for (const connection of this.connections) {
      if (connection.endsAt <= time && connection.hasOpened) connection.close(CLOSE.badToken);
      if (connection.phase !== phase || !connection.isOpen || !connection.hasOpened) continue;
      if (connection.missedHeartbeats >= MISSED_HEARTBEATS) connection.close(CLOSE.heartbeat);
      else connection.heartbeat(now);
    }
  }

  /** Accepts an upgrade and closes it immediately with a code, as a web page cannot see why an upgrade was rejected. */
  private acceptAndClose({ request, socket, head }: Upgrade, { code, reason }: Closing): void {
    if (socket.destroyed) return;
    this.closingOnly++;
    socket.once('close', () => this.closingOnly--);
    setTimeout(() => socket.destroy(), STOP_MS).unref();
    this.handshakes.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', ignore);
      webSocket.close(code, reason);
    });
    this.metrics.closedWebSockets.inc({ code });
  }

  private refuse(upgrade: Upgrade, refusal: Refusal): void {
    if ('code' in refusal) return this.acceptAndClose(upgrade, refusal);
    this.metrics.refusedUpgrades.inc({ status: refusal.status });
    refuseUpgrade(upgrade.socket, refusal.status, refusal.message);
  }
}

/** Returns the metric label of a close code. Codes chosen by clients share one label, to bound the number of time series. */
function codeOf({ closed }: Connection, code: number): string {
  if (closed) return String(closed.code);
  return code < 3_000 ? String(code) : 'of the peer';
}

const ignore = (): void => undefined;

function destroy(this: Socket): void {
  this.destroy();
}
