import { Injectable } from '@nestjs/common';
import { Readiness } from '../../common/health/readiness.js';
import { Log } from '../../common/logging/log.js';
import { BacklogService } from './backlog.service.js';
import { Bus, type BusListener, type Envelope, type Presence } from './bus/bus.js';
import { DeliveryService } from './delivery.service.js';
import { PushRouterService } from './push-router.service.js';
import { RecipientsService } from './recipients.service.js';
import { Connections } from './sockets/connections.js';

/** What this node does when others tell it something, and when the bus comes back. */
@Injectable()
export class NodeLink implements BusListener {
  constructor(
    private readonly bus: Bus,
    private readonly connections: Connections,
    private readonly delivery: DeliveryService,
    private readonly router: PushRouterService,
    private readonly recipients: RecipientsService,
    private readonly backlog: BacklogService,
    private readonly readiness: Readiness,
    private readonly log: Log,
  ) {}

  start(): void {
    this.readiness.add('bus', 'websockets-manager', () => this.bus.check());
    this.bus.listen(this);
  }

  receive(envelope: Envelope): void {
    if (envelope.kind === 'push') this.noted(this.router.receive(envelope.push));
    else if (envelope.kind === 'globalPush') this.delivery.deliverGlobal(envelope.push);
    else this.recipients.disconnectHere(envelope.tenantId, envelope.recipient);
  }

  recovered(sinceMs: number): void {
    this.noted(this.backlog.sendMissed(sinceMs));
  }

  complete(): void {
    this.noted(this.router.sendKept());
  }

  *presences(): Generator<Presence> {
    for (const { presence } of this.connections) yield presence;
  }

  private noted(work: Promise<void>): void {
    work.catch((error: unknown) => this.log.error({ err: error }, 'what came over the bus failed'));
  }
}
