// Room: Sends connections their backlog, and what other nodes push to them. Decides fallbacks that are due.
import { Injectable } from '@nestjs/common';
import { Logger } from '../../../common/logging/logger.js';
import { BacklogService } from './backlog.service.js';
import { Bus, type BusListener, type Envelope, type TopicMove } from '../bus/bus.js';
import { LocalDeliveryService } from '../messages/local-delivery.service.js';
import { PushRouterService } from '../messages/push-router.service.js';
import { RecipientMessages } from '../recipients/recipient-messages.js';
import { TopicPresenceService } from '../recipients/topic-presence.service.js';
import { Connections } from '../sockets/connections.js';

/** Handles messages from other nodes, and the recovery of the bus. */
@Injectable()
export class NodeListener implements BusListener {
  constructor(
    private readonly bus: Bus,
    private readonly connections: Connections,
    private readonly delivery: LocalDeliveryService,
    private readonly router: PushRouterService,
    private readonly recipients: RecipientMessages,
    private readonly presence: TopicPresenceService,
    private readonly backlog: BacklogService,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.bus.listen(this, this.connections);
  }

  receive(envelope: Envelope): void {
    if (envelope.kind === 'push') this.run(this.router.receive(envelope.push));
    else if (envelope.kind === 'globalPush') this.delivery.deliverGlobal(envelope.push);
    else this.run(this.recipients.receive(envelope));
  }

  recovered(sinceMs: number): void {
    this.run(this.backlog.sendMissed(sinceMs));
    this.recipients.recovered();
  }

  complete(): void {
    this.run(this.router.sendUnsent());
  }

  moved(move: TopicMove): void {
    this.run(this.presence.tell(move));
  }

  private run(work: Promise<void>): void {
    work.catch((error: unknown) => this.logger.error({ err: error }, 'a message from the bus could not be processed'));
  }
}
