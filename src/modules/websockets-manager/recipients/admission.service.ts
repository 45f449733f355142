import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Logger } from '../../../common/logging/logger.js';
import { SuspendedTenants } from '../../../common/tenants/suspended-tenants.js';
import { Bus, BusDown } from '../bus/bus.js';
import { CLOSE } from '../sockets/connection.js';
import type { Admission, AdmissionRequest, Refusal } from '../sockets/socket-listener.js';
import { RecipientEventsService } from './recipient-events.service.js';
import { RecipientTokens } from './recipient-tokens.js';
import { RecipientsService } from './recipients.service.js';

/** Length of a connection id. A UUID string would stay in V8's memory as fifteen pieces per connection. */
const ID_BYTES = 16;

/** Decides which clients may connect. */
@Injectable()
export class AdmissionService {
  constructor(
    private readonly tokens: RecipientTokens,
    private readonly recipients: RecipientsService,
    private readonly events: RecipientEventsService,
    private readonly bus: Bus,
    private readonly suspended: SuspendedTenants,
    private readonly logger: Logger,
  ) {}

  async admit({ token: text, source, origin }: AdmissionRequest): Promise<Admission | Refusal> {
    const token = this.tokens.read(text);
    if (!token) return CLOSE.badToken;
    if (this.suspended.has(token.tenantId)) return CLOSE.suspended;
    if (token.sourceIp !== null && token.sourceIp !== source)
      return { status: 403, message: 'The token is bound to another IP address' };
    if (token.origin !== null && token.origin !== origin) return { status: 403, message: 'The token is bound to another origin' };
    const { tenantId, recipient, topic } = token;
    const connectionId = randomBytes(ID_BYTES).toString('base64url');
    const origins = { connectionId, nodeId: this.bus.nodeId, sourceIp: source, connectedAt: Date.now() };
    const presence = { tenantId, recipient, topic, ...origins };
    // A revoked token is rejected after joining. With event subscribers, reject it before, as joining would emit an event.
    if (this.events.wants(tenantId) && (await this.recipients.isCutOff(presence, token.issuedAt))) return CLOSE.badToken;
    return {
      presence,
      acknowledges: token.acknowledge,
      tokenIssuedAt: token.issuedAt,
      endsAt: token.closeOnExpiry ? token.expiresAt : Infinity,
    };
  }

  /** Adds a connection to the bus. Queries the cutoff last: a disconnect writes the cutoff before it queries connections. */
  async join({ presence, tokenIssuedAt }: Admission): Promise<Refusal | undefined> {
    try {
      await this.bus.join(presence);
      return (await this.recipients.isCutOff(presence, tokenIssuedAt)) ? CLOSE.badToken : undefined;
    } catch (error) {
      if (!(error instanceof BusDown)) this.logger.error({ err: error }, 'a connection could not be opened');
      return { status: 503, message: 'Connections cannot be opened now; retry later' };
    }
  }
}
