import type { OnApplicationBootstrap, OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import { type OnGatewayConnection, type OnGatewayInit, WebSocketGateway } from '@nestjs/websockets';
import { RequestGate } from '../../common/http/request-gate.js';
import { Bus } from './bus/bus.js';
import { BacklogService } from './delivery/backlog.service.js';
import { NodeListener } from './delivery/node-listener.js';
import { PushRouterService } from './messages/push-router.service.js';
import { AdmissionService } from './recipients/admission.service.js';
import { MessageRecordsService } from './messages/message-records.service.js';
import type { Connection, Receipt } from './sockets/connection.js';
import type { Admission, AdmissionRequest, Refusal, SocketListener } from './sockets/socket-listener.js';
import { SocketServer } from './sockets/socket-server.js';
import { missingUpgrade, PATH } from './sockets/upgrades/upgrade-answers.js';

/** Connects the socket server with the services that handle its events. */
@WebSocketGateway({ path: PATH })
export class PushGateway
  implements SocketListener, OnGatewayInit, OnGatewayConnection, OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown
{
  constructor(
    private readonly sockets: SocketServer,
    private readonly admission: AdmissionService,
    private readonly backlog: BacklogService,
    private readonly records: MessageRecordsService,
    private readonly router: PushRouterService,
    private readonly bus: Bus,
    private readonly nodes: NodeListener,
    private readonly gate: RequestGate,
  ) {}

  afterInit(): void {
    this.sockets.listener = this;
    this.gate.addHint(missingUpgrade);
  }

  onApplicationBootstrap(): void {
    this.nodes.start();
    this.backlog.start();
  }

  admit(request: AdmissionRequest): Promise<Admission | Refusal> {
    return this.admission.admit(request);
  }

  join(connection: Connection): Promise<Refusal | undefined> {
    return this.admission.join(connection);
  }

  handleConnection(connection: Connection): void {
    void this.backlog.send(connection);
  }

  confirmed({ presence }: Connection, receipts: Receipt[]): void {
    this.records.settle('confirmed', receipts, presence.recipient);
  }

  left({ presence }: Connection): Promise<void> {
    return this.bus.leave(presence);
  }

  ended(connection: Connection): Promise<void> {
    return this.router.ended(connection, connection.takeUnconfirmed());
  }

  /** Closes all connections, and records their confirmations. */
  async onModuleDestroy(): Promise<void> {
    this.backlog.stop();
    await this.sockets.stop();
    await this.records.flush();
  }

  /** Leaves the bus after the last push was sent to other nodes. All requests have ended by then. */
  async onApplicationShutdown(): Promise<void> {
    await this.records.close();
    await this.bus.close();
  }
}
