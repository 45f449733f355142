import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Readiness } from '../../../common/health/readiness.js';
import { Logger } from '../../../common/logging/logger.js';
import { SuspendedTenants } from '../../../common/tenants/suspended-tenants.js';
import type { Acknowledgement, TokenHolder } from '../models/acknowledgement.js';
import { Bus, BusDown, type Presence } from '../bus/bus.js';
import { CLOSE } from '../sockets/closing.js';
import type { Connection } from '../sockets/connection.js';
import type { Admission, AdmissionRequest, Refusal } from '../sockets/socket-listener.js';
import type { TokenTerms } from './cutoffs.queries.js';
import { RecipientEventsService } from './recipient-events.service.js';
import { RecipientTokens } from './recipient-tokens.js';
import { RecipientsService } from './recipients.service.js';
import { TopicsService } from './topics.service.js';

/** Length of a connection id. A UUID string would stay in V8's memory as fifteen pieces per connection. */
const ID_BYTES = 16;

/** Decides which clients may connect. */
@Injectable()
export class AdmissionService {
  constructor(
    private readonly tokens: RecipientTokens,
    private readonly recipients: RecipientsService,
    private readonly topics: TopicsService,
    private readonly events: RecipientEventsService,
    private readonly bus: Bus,
    private readonly suspended: SuspendedTenants,
    private readonly logger: Logger,
    readiness: Readiness,
  ) {
    readiness.add('bus', 'websockets-manager', () => this.bus.check());
  }

  async admit({ token: text, source, origin }: AdmissionRequest): Promise<Admission | Refusal> {
    const token = this.tokens.read(text);
    if (!token) return CLOSE.badToken;
    if (this.suspended.has(token.tenantId)) return CLOSE.suspended;
    if (token.sourceIp !== null && token.sourceIp !== source)
      return { status: 403, message: 'The token is bound to another IP address' };
    if (token.origin !== null && token.origin !== origin) return { status: 403, message: 'The token is bound to another origin' };
    const { tenantId, recipient, topic, topics } = token;
    const connectionId = randomBytes(ID_BYTES).toString('base64url');
    const origins = { connectionId, nodeId: this.bus.nodeId, sourceIp: source, connectedAt: Date.now() };
    const presence: Presence = { tenantId, recipient, topic, ...origins };
    if (topics !== undefined) presence.topics = topics;
    if (token.presence) presence.observes = true;
    // A revoked token is rejected after joining. With event subscribers, reject it before, as joining would emit an event.
    if (this.events.wants(tenantId) && isCutOff(await this.recipients.termsOf(presence), token.issuedAt)) return CLOSE.badToken;
    return {
      presence,
      acknowledges: token.acknowledge,
      rewind: token.rewind,
      readsInbox: token.inbox ?? false,
      tokenIssuedAt: token.issuedAt,
      endsAt: token.closeOnExpiry ? token.expiresAt : Infinity,
    };
  }

  /**
   * Adds a connection to the bus. Queries the cutoff and changes of topics last: disconnecting a recipient or changing its topics writes
   * them before it queries connections.
   */
  async join(connection: Connection): Promise<Refusal | undefined> {
    const { presence, tokenIssuedAt } = connection;
    try {
      await this.bus.join(presence);
      const terms = await this.recipients.termsOf(presence);
      if (isCutOff(terms, tokenIssuedAt)) return CLOSE.badToken;
      if (terms.topics) await this.topics.apply(connection, terms.topics);
      return undefined;
    } catch (error) {
      if (!(error instanceof BusDown)) this.logger.error({ err: error }, 'a connection could not be opened');
      return { status: 503, message: 'Connections cannot be opened now; retry later' };
    }
  }

  holderOf(text: string): TokenHolder | undefined {
    const token = this.tokens.readExpired(text);
    return token && { tenantId: token.tenantId, recipient: token.recipient, tokenIssuedAt: token.issuedAt };
  }

  /** Passes an acknowledgement to the node of its connection. Returns false if there is none. */
  async passOn(acknowledgement: Acknowledgement): Promise<boolean> {
    const { tenantId, recipient, connectionId } = acknowledgement;
    const presences = await this.recipients.presencesOf(tenantId, recipient);
    const there = presences.filter((presence) => presence.connectionId === connectionId && presence.nodeId !== this.bus.nodeId);
    await this.recipients.tell(there, { kind: 'acknowledged', acknowledgement });
    return there.length > 0;
  }
}

/** Returns true if the recipient was disconnected after its token was issued. */
const isCutOff = ({ cutoff }: TokenTerms, tokenIssuedAt: number): boolean => cutoff !== undefined && tokenIssuedAt <= cutoff;
