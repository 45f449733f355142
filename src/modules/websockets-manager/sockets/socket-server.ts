import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { type WebSocket, WebSocketServer } from 'ws';
import { Config } from '../../../common/config/config.js';
import { PublicAddress } from '../../../common/http/public-address.js';
import { Log } from '../../../common/logging/log.js';
import { Metrics } from '../../../common/metrics/metrics.js';
import { BacklogService } from '../backlog.service.js';
import { Bus, BusDown } from '../bus/bus.js';
import { MessageRecordsService } from '../message-records.service.js';
import { PushRouterService } from '../push-router.service.js';
import { type IssuedToken, RecipientTokens } from '../recipient-tokens.js';
import { RecipientsService } from '../recipients.service.js';
import { hostOf, sourceOf } from '../source-address.js';
import { CLOSE, type Closing, Connection } from './connection.js';
import { Connections } from './connections.js';
import { Flusher } from './flusher.js';
import { acknowledgedId, sequenceOf } from './frame.js';
import { serveWithoutUpgrade } from './other-upgrades.js';
import { handshakeFault, type RefusedStatus, refuseUpgrade } from './upgrade-answers.js';

const MAX_INBOUND_MESSAGE = 4 * 1024;
const MAX_INBOUND_PER_MINUTE = 1024 * 1024;
const MINUTE_MS = 60_000;
const MISSED_HEARTBEATS = 2;
/** How long a stop waits for peers to answer the close frame. */
const STOP_MS = 2_000;

interface Upgrade {
  server: Server;
  request: IncomingMessage;
  socket: Socket;
  head: Buffer;
}

/** Takes WebSocket connections, and ends them when their peer is gone, too slow or too loud. */
@Injectable()
export class SocketServer {
  /** A field, so that a test need not send as much. */
  maxInboundPerMinute = MAX_INBOUND_PER_MINUTE;
  private readonly flusher = new Flusher();
  private readonly handshakes = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_INBOUND_MESSAGE,
  });
  private readonly sourceOf: (request: IncomingMessage) => string;
  private readonly hostOf: (request: IncomingMessage) => string;
  /** Connections that have not ended, those that are closing included. */
  private readonly open = new Set<Connection>();
  private readonly ending = new Set<Promise<void>>();
  /** Sockets that are accepted only to be told that their token is bad. */
  private turnedAway = 0;
  private stopping = false;
  private phase = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly config: Config,
    private readonly address: PublicAddress,
    private readonly tokens: RecipientTokens,
    private readonly recipients: RecipientsService,
    private readonly connections: Connections,
    private readonly bus: Bus,
    private readonly backlog: BacklogService,
    private readonly router: PushRouterService,
    private readonly records: MessageRecordsService,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {
    this.sourceOf = sourceOf(config.trustProxy);
    this.hostOf = hostOf(config.trustProxy);
  }

  start(): void {
    this.timer = setInterval(() => this.beat(), 1_000);
  }

  /** Decides over an upgrade before it is answered. */
  async admit(upgrade: Upgrade): Promise<void> {
    const { server, request, socket, head } = upgrade;
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') return serveWithoutUpgrade(server, request, socket, head);
    socket.on('error', destroy);
    try {
      await this.decide(upgrade);
    } catch (error) {
      this.log.error({ err: error }, 'an upgrade failed');
      socket.destroy();
    }
  }

  private async decide(upgrade: Upgrade): Promise<void> {
    const { request } = upgrade;
    const [path, query] = (request.url ?? '').split('?', 2);
    if (path !== '/' || !this.address.serves(this.hostOf(request)))
      return this.refuse(upgrade, 404, 'WebSockets are served at /?token=…');
    const fault = handshakeFault(request);
    if (fault) return this.refuse(upgrade, fault.status, fault.message);
    if (this.stopping || this.connections.count + this.turnedAway >= this.config.maxConnections) {
      return this.refuse(upgrade, 503, 'This node takes no more connections now');
    }
    const token = await this.tokens.read(new URLSearchParams(query).get('token') ?? '');
    if (!token) return this.turnAway(upgrade, CLOSE.badToken);
    const source = this.sourceOf(request);
    if (token.sourceIp !== null && token.sourceIp !== source) return this.refuse(upgrade, 403, 'Not from this address');
    if (token.origin !== null && token.origin !== request.headers.origin?.toLowerCase()) {
      return this.refuse(upgrade, 403, 'Not from this origin');
    }
    if (this.connections.countOf(token.tenantId) >= this.config.maxConnectionsPerTenant) {
      return this.refuse(upgrade, 503, 'The tenant has as many connections as it may have');
    }
    await this.join(upgrade, token, source);
  }

  /** Ends all connections, and waits until what they confirmed is recorded. */
  async stop(): Promise<void> {
    this.stopping = true;
    clearInterval(this.timer);
    for (const connection of this.connections) connection.close(CLOSE.goingAway);
    const deadline = Date.now() + STOP_MS;
    while (this.open.size > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
    await Promise.allSettled(this.ending);
    await this.records.flushed();
    await this.bus.close();
  }

  /** Known to all nodes first, open second: a push that is made after the peer sees it open finds it. */
  private async join(upgrade: Upgrade, token: IssuedToken, sourceIp: string): Promise<void> {
    const { tenantId, recipient, topic } = token;
    const presence = { connectionId: randomUUID(), nodeId: this.bus.nodeId, tenantId, recipient, topic, sourceIp };
    const connection = new Connection(
      { ...presence, connectedAt: Date.now() },
      upgrade.socket,
      this.flusher.mark,
      this.onClosing,
    );
    connection.acknowledges = token.acknowledge;
    if (token.closeOnExpiry) connection.endsAt = token.expiresAt;
    this.connections.add(connection);
    try {
      await this.bus.join(connection.presence);
      if (await this.recipients.isCutOff(token)) this.turnAway(upgrade, CLOSE.badToken);
      else if (connection.closed) this.turnAway(upgrade, connection.closed);
      else if (this.stopping) this.refuse(upgrade, 503, 'This node is going away');
      else this.shakeHands(upgrade, connection);
    } catch (error) {
      if (!(error instanceof BusDown)) this.log.error({ err: error }, 'a connection could not be opened');
      this.refuse(upgrade, 503, 'Connections cannot be opened now');
    }
    if (!connection.hasOpened) this.end(connection);
  }

  private shakeHands({ request, socket, head }: Upgrade, connection: Connection): void {
    if (socket.destroyed) return;
    this.handshakes.handleUpgrade(request, socket, head, (webSocket) => this.attend(connection, socket, webSocket));
  }

  /** Apart from the handshake, so that no listener keeps the request for as long as the connection lives. */
  private attend(connection: Connection, socket: Socket, webSocket: WebSocket): void {
    connection.open(webSocket);
    this.open.add(connection);
    webSocket.on('pong', (payload) => this.confirmed(connection, payload));
    // After ws, which reads the same bytes first, so that pongs are known by now.
    socket.on('data', () => this.meter(connection, socket));
    if (connection.acknowledges)
      webSocket.on('message', (data, isBinary) => this.acknowledged(connection, isBinary ? '' : String(data)));
    webSocket.on('error', ignore); // what breaks the protocol is closed by ws, with the code that fits
    webSocket.once('close', (code) => {
      this.metrics.closedWebSockets.inc({ code: codeOf(connection, code) });
      this.open.delete(connection);
      this.end(connection);
    });
    connection.phase = this.phase++ % this.config.heartbeatSeconds;
    this.metrics.webSockets.set(this.connections.count);
    void this.backlog.send(connection);
  }

  private confirmed(connection: Connection, payload: Buffer): void {
    const sequence = sequenceOf(payload);
    if (sequence === undefined) return;
    connection.creditPong(payload.length);
    const receipts = connection.confirm(sequence);
    if (receipts.length > 0) this.records.settle('confirmed', receipts, connection.presence.recipient);
  }

  private acknowledged(connection: Connection, text: string): void {
    const id = acknowledgedId(text);
    const receipts = id === undefined ? [] : connection.acknowledge(id);
    if (receipts.length > 0) this.records.settle('confirmed', receipts, connection.presence.recipient);
  }

  /** What peers send is ignored, as long as it is little: frames of every kind, but for the pongs that were asked for. */
  private meter(connection: Connection, socket: Socket): void {
    const { minute } = connection;
    const bytes = socket.bytesRead - connection.pongBytes;
    const now = Date.now();
    if (now - minute.since >= MINUTE_MS) connection.minute = { since: now, bytes };
    else if (bytes - minute.bytes > this.maxInboundPerMinute) connection.close(CLOSE.tooMuch);
  }

  /** From now on nobody finds it. */
  private async leave(connection: Connection): Promise<void> {
    if (!this.connections.remove(connection)) return;
    this.metrics.webSockets.set(this.connections.count);
    await this.bus.leave(connection.presence);
  }

  /** Its socket is closed, and nothing more will be confirmed. */
  private end(connection: Connection): void {
    const ending = this.leave(connection)
      .then(() => this.router.ended(connection, connection.takeUnconfirmed()))
      .catch((error: unknown) => this.log.error({ err: error }, 'a connection ended, and its messages could not be settled'))
      .finally(() => this.ending.delete(ending));
    this.ending.add(ending);
  }

  private readonly onClosing = (connection: Connection): void => {
    this.leave(connection).catch((error: unknown) => this.log.error({ err: error }, 'a connection could not leave'));
  };

  /** Every second those whose turn it is, so that each is asked once in a heartbeat. */
  private beat(): void {
    const now = Date.now();
    const turn = Math.floor(now / 1_000) % this.config.heartbeatSeconds;
    for (const connection of this.connections) {
      if (connection.endsAt <= now && connection.hasOpened) connection.close(CLOSE.badToken);
      if (connection.phase !== turn || !connection.isOpen || !connection.hasOpened) continue;
      if (connection.missedHeartbeats >= MISSED_HEARTBEATS) connection.close(CLOSE.heartbeat);
      else connection.heartbeat();
    }
  }

  /** A browser cannot read a refused upgrade, so this one is accepted and closed at once. */
  private turnAway({ request, socket, head }: Upgrade, { code, reason }: Closing): void {
    if (socket.destroyed) return;
    this.turnedAway++;
    socket.once('close', () => this.turnedAway--);
    setTimeout(() => socket.destroy(), STOP_MS).unref();
    this.handshakes.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', ignore);
      webSocket.close(code, reason);
    });
    this.metrics.closedWebSockets.inc({ code });
  }

  private refuse({ socket }: Upgrade, status: RefusedStatus, message: string): void {
    this.metrics.refusedUpgrades.inc({ status });
    refuseUpgrade(socket, status, message);
  }
}

/** Codes that peers invent would each be a series of their own. */
function codeOf({ closed }: Connection, code: number): string {
  if (closed) return String(closed.code);
  return code < 3_000 ? String(code) : 'of the peer';
}

const ignore = (): void => undefined;

function destroy(this: Socket): void {
  this.destroy();
}
