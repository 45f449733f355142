import type { OnApplicationBootstrap, OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import { type OnGatewayConnection, type OnGatewayInit, WebSocketGateway } from '@nestjs/websockets';
import type { Acknowledgement, TokenHolder } from './models/acknowledgement.js';
import { Bus } from './bus/bus.js';
import { BacklogService } from './delivery/backlog.service.js';
import { NodeListener } from './delivery/node-listener.js';
import { PushRouterService } from './messages/push-router.service.js';
import { AdmissionService } from './recipients/admission.service.js';
import { MessageRecordsService } from './messages/message-records.service.js';
import { InboxService } from './inbox/inbox.service.js';
import type { InboxMark } from './models/inbox.js';
import type { Connection, Receipt } from './sockets/connection.js';
import type { Admission, AdmissionRequest, Refusal, SocketListener } from './sockets/socket-listener.js';
import { ConnectionLifecycle } from './sockets/connection-lifecycle.js';
import { PATH } from './sockets/upgrades/upgrade-answers.js';

/** Connects the connections of both transports with the services that handle its events. */
@WebSocketGateway({ path: PATH })
export class PushGateway
  implements SocketListener, OnGatewayInit, OnGatewayConnection, OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown
{
  constructor(
    private readonly lifecycle: ConnectionLifecycle,
    private readonly admission: AdmissionService,
    private readonly backlog: BacklogService,
    private readonly records: MessageRecordsService,
    private readonly router: PushRouterService,
    private readonly bus: Bus,
    private readonly nodes: NodeListener,
    private readonly inboxes: InboxService,
  ) {}

  afterInit(): void {
    this.lifecycle.listener = this;
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

  holderOf(token: string): TokenHolder | undefined {
    return this.admission.holderOf(token);
  }

  passOn(acknowledgement: Acknowledgement): Promise<boolean> {
    return this.admission.passOn(acknowledgement);
  }

  handleConnection(connection: Connection): void {
    void this.backlog.send(connection);
    if (connection.readsInbox) this.inboxes.opened(connection);
  }

  confirmed(recipient: string, receipts: Receipt[]): void {
    this.records.settle('confirmed', receipts, recipient);
  }

  marked(connection: Connection, mark: InboxMark): void {
    this.inboxes.marked(connection, mark);
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
    await this.lifecycle.stop();
    await this.inboxes.close();
    await this.records.flush();
  }

  /** Leaves the bus after the last push was sent to other nodes. All requests have ended by then. */
  async onApplicationShutdown(): Promise<void> {
    await this.records.close();
    await this.bus.close();
  }
}
