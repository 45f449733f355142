import { Injectable } from '@nestjs/common';
import type { Envelope } from '../bus/bus.js';
import { EventStreams } from '../sockets/event-streams/event-streams.js';
import { RecipientsService } from './recipients.service.js';
import { TopicPresenceService } from './topic-presence.service.js';
import { UnreadNoticesService } from './unread-notices.service.js';
import { TopicsService } from './topics.service.js';

/** Handles messages from other nodes about recipients. */
@Injectable()
export class RecipientMessages {
  constructor(
    private readonly recipients: RecipientsService,
    private readonly topics: TopicsService,
    private readonly presence: TopicPresenceService,
    private readonly notices: UnreadNoticesService,
    private readonly streams: EventStreams,
  ) {}

  /** Tells connections what messages lost during an outage of the bus may have told. */
  recovered(): void {
    this.notices.tellAll();
  }

  async receive(envelope: Exclude<Envelope, { push: unknown }>): Promise<void> {
    if (envelope.kind === 'moved') return this.presence.tellHere(envelope.move);
    if (envelope.kind === 'inbox') return this.notices.tellHere(envelope.tenantId, envelope.recipients);
    if (envelope.kind === 'acknowledged') return void this.streams.acknowledge(envelope.acknowledgement);
    const { tenantId, recipient } = envelope;
    if (envelope.kind === 'topics') await this.topics.applyHere(tenantId, recipient);
    else this.recipients.disconnectHere(tenantId, recipient);
  }
}
