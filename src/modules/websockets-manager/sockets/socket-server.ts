import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { type WebSocket, WebSocketServer } from 'ws';
import { AppError } from '../../../common/base/app-error.js';
import { Config } from '../../../common/config/config.js';
import { PublicAddress } from '../../../common/http/public-address.js';
import { asksForWebSocket } from '../../../common/http/upgrades.js';
import { Logger } from '../../../common/logging/logger.js';
import { SocketMetrics } from '../metrics/socket-metrics.js';
import type { Closing } from './closing.js';
import type { Connection } from './connection.js';
import { ConnectionLifecycle } from './connection-lifecycle.js';
import { readClientFrame, sequenceOf } from './frame.js';
import { handshakeFault, refuseUpgrade, serveWithoutUpgrade } from './upgrades/upgrade-answers.js';
import type { Refusal } from './socket-listener.js';
import { hostOf, sourceOf } from './upgrades/source-address.js';

const MAX_INBOUND_MESSAGE = 4 * 1024;
/** Time after which a socket opened only to send a close code is destroyed. */
const CLOSE_MS = 2_000;

interface Upgrade {
  server: Server;
  path: string;
  request: IncomingMessage;
  socket: Socket;
  head: Buffer;
}

/** Accepts WebSocket connections, and reads what their clients send. */
@Injectable()
export class SocketServer {
  private readonly handshakes = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_INBOUND_MESSAGE,
  });
  private readonly sourceOf: (request: IncomingMessage) => string;
  private readonly hostOf: (request: IncomingMessage) => string;

  constructor(
    private readonly config: Config,
    private readonly address: PublicAddress,
    readonly lifecycle: ConnectionLifecycle,
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
    this.lifecycle.start();
  }

  private async take(upgrade: Upgrade): Promise<void> {
    const { server, request, socket, head } = upgrade;
    if (!asksForWebSocket(request)) return serveWithoutUpgrade(server, request, socket, head);
    socket.on('error', destroy);
    try {
      await this.lifecycle.inSlot(socket, () => this.decide(upgrade));
    } catch (error) {
      if (error instanceof AppError) return this.refuse(upgrade, { status: 503, message: error.message });
      this.logger.error({ err: error }, 'an upgrade failed');
      socket.destroy();
    }
  }

  private async decide(upgrade: Upgrade): Promise<void> {
    const { path, request, socket } = upgrade;
    const [asked, query] = (request.url ?? '').split('?', 2);
    if (asked !== path || !this.address.serves(this.hostOf(request))) {
      return this.refuse(upgrade, { status: 404, message: 'WebSockets are served only at /?token=…' });
    }
    const fault = handshakeFault(request);
    if (fault) return this.refuse(upgrade, fault);
    const token = new URLSearchParams(query).get('token') ?? '';
    const origin = request.headers.origin?.toLowerCase();
    const answer = await this.lifecycle.admit({ token, source: this.sourceOf(request), origin });
    if (!('presence' in answer)) return this.refuse(upgrade, answer);
    const refusal = await this.lifecycle.join(answer, socket, (connection) => this.shakeHands(upgrade, connection));
    if (refusal) this.refuse(upgrade, refusal);
  }

  private shakeHands({ request, socket, head }: Upgrade, connection: Connection): void {
    if (socket.destroyed) return;
    this.handshakes.handleUpgrade(request, socket, head, (webSocket) => this.attend(connection, socket, webSocket));
  }

  /** Attaches listeners. Separate method, so that no closure retains the request for the life of the connection. */
  private attend(connection: Connection, socket: Socket, webSocket: WebSocket): void {
    webSocket.on('pong', (payload) => this.ponged(connection, payload));
    // Added after the listener of ws, which has then already handled the pongs in these bytes.
    socket.on('data', () => this.lifecycle.meter(connection, socket.bytesRead - connection.pongBytes));
    if (connection.acknowledges || connection.readsInbox)
      webSocket.on('message', (data, isBinary) => this.received(connection, isBinary ? '' : String(data)));
    webSocket.on('error', ignore); // ws closes the connection with the right code for each protocol violation
    webSocket.once('close', (code) => this.lifecycle.closed(connection, codeOf(connection, code)));
    this.lifecycle.opened(connection, webSocket, this.config.heartbeatSeconds);
  }

  private ponged(connection: Connection, payload: Buffer): void {
    const sequence = sequenceOf(payload);
    if (sequence === undefined) return;
    connection.creditPong(payload.length);
    this.lifecycle.confirmed(connection, connection.confirm(sequence));
  }

  private received(connection: Connection, text: string): void {
    const { ack, mark } = readClientFrame(text);
    if (ack !== undefined && connection.acknowledges) this.lifecycle.confirmed(connection, connection.acknowledge(ack));
    if (mark !== undefined && connection.readsInbox) this.lifecycle.listener.marked(connection, mark);
  }

  /** Accepts an upgrade and closes it immediately with a code, as a web page cannot see why an upgrade was rejected. */
  private acceptAndClose({ request, socket, head }: Upgrade, { code, reason }: Closing): void {
    if (socket.destroyed) return;
    this.lifecycle.closingOnly++;
    socket.once('close', () => this.lifecycle.closingOnly--);
    setTimeout(() => socket.destroy(), CLOSE_MS).unref();
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
