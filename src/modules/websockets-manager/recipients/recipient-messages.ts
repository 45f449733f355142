import { Injectable } from '@nestjs/common';
import type { Envelope } from '../bus/bus.js';
import { RecipientsService } from './recipients.service.js';
import { TopicPresenceService } from './topic-presence.service.js';
import { TopicsService } from './topics.service.js';

/** Handles messages from other nodes about recipients. */
@Injectable()
export class RecipientMessages {
  constructor(
    private readonly recipients: RecipientsService,
    private readonly topics: TopicsService,
    private readonly presence: TopicPresenceService,
  ) {}

  async receive(envelope: Exclude<Envelope, { push: unknown }>): Promise<void> {
    if (envelope.kind === 'moved') return this.presence.tellHere(envelope.move);
    const { tenantId, recipient } = envelope;
    if (envelope.kind === 'topics') await this.topics.applyHere(tenantId, recipient);
    else this.recipients.disconnectHere(tenantId, recipient);
  }
}
