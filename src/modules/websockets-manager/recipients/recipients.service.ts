// Room: Admits recipients, and lists who is online.
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { AppError } from '../../../common/base/app-error.js';
import { Cursors } from '../../../common/lists/cursors.js';
import { PublicAddress } from '../../../common/http/public-address.js';
import { SuspendedTenants } from '../../../common/tenants/suspended-tenants.js';
import { Batcher } from '../../../common/scheduling/batcher.js';
import { checkInput, checkText, MAX_NAME } from '../../../common/base/text.js';
import { Bus, BusDown, type Envelope, type Presence } from '../bus/bus.js';
import { RegisterRecipientInput } from './recipient.inputs.js';
import { EVENTS_PATH, MAX_TOKEN_SECONDS, RECIPIENTS_PER_STATEMENT, TOKEN_LIFETIME_MS } from '../models/limits.js';
import {
  MAX_CONNECTIONS_SHOWN,
  type OnlineRecipientsResult,
  type RecipientConnection,
  type RegisterRecipientResponse,
} from './recipient.model.js';
import { type RecipientKey, recipientKey } from '../models/recipient-key.js';
import { allTopics } from '../models/topics.js';
import { type TokenTerms, tokenTermsOf } from './cutoffs.queries.js';
import { RecipientTokens } from './recipient-tokens.js';
import { OnlineRecipientsService } from './online-recipients.service.js';
import { CLOSE } from '../sockets/closing.js';
import { Connections } from '../sockets/connections.js';

/** Registers, lists and disconnects recipients. Recipients themselves are not stored. */
@Injectable()
export class RecipientsService {
  /** Queries the terms of many recipients in one statement: thousands connect after a restart. */
  private readonly terms = new Batcher((wanted: RecipientKey[]) => tokenTermsOf(this.database, wanted), {
    maxLength: RECIPIENTS_PER_STATEMENT,
  });

  constructor(
    private readonly database: Database,
    private readonly tokens: RecipientTokens,
    private readonly address: PublicAddress,
    private readonly online: OnlineRecipientsService,
    private readonly connections: Connections,
    private readonly bus: Bus,
    private readonly cursors: Cursors,
    suspended: SuspendedTenants,
  ) {
    suspended.onRefresh(() => this.disconnectSuspended(suspended));
  }

  async register({ tenantId }: Caller, input: RegisterRecipientInput): Promise<RegisterRecipientResponse> {
    const { recipient, sourceIp = null, origin = null, ...rest } = checkInput(RegisterRecipientInput.rules, input);
    const topic = rest.topic ?? null;
    const topics = rest.topics ? [...new Set(rest.topics)] : undefined;
    const asked = { closeOnExpiry: rest.closeOnExpiry ?? false, acknowledge: rest.acknowledge ?? false };
    const presence = rest.presence ? (true as const) : undefined;
    const inbox = rest.inbox ? (true as const) : undefined;
    const content = {
      tenantId,
      recipient,
      topic,
      topics,
      sourceIp,
      origin,
      presence,
      inbox,
      rewind: rest.rewind ?? undefined,
      ...asked,
    };
    const { value, expiresAt } = this.tokens.issue(content, rest.expiresIn ?? MAX_TOKEN_SECONDS);
    const token = { value, recipient, topic, topics: allTopics({ topic, topics }), expiresAt };
    return { token, connectionUri: `${this.address.webSocket}/?token=${value}`, eventsUri: this.eventsUri(value) };
  }

  /** Returns a URL below WEBSOCKET_URL: what reaches its sockets reaches its event streams. */
  private eventsUri(token: string): string {
    return `${this.address.webSocket.replace(/^ws/, 'http')}${EVENTS_PATH}?token=${token}`;
  }

  async connectionsOf({ tenantId }: Caller, recipient: string): Promise<RecipientConnection[]> {
    checkText('recipient', recipient, { min: 1, max: MAX_NAME });
    return shownConnections(await this.presencesOf(tenantId, recipient));
  }

  /**
   * Returns a page of connected recipients by name: a recipient that stays connected is on exactly one page.
   * @param topic restricts the page to recipients present in a topic
   */
  async onlinePage(
    { tenantId }: Caller,
    nextToken: string | null,
    limit: number | null,
    topic: string | null = null,
  ): Promise<OnlineRecipientsResult> {
    if (topic !== null) checkText('topic', topic, { min: 1, max: MAX_NAME });
    const context = {
      tenantId,
      operation: topic === null ? 'onlineRecipients' : 'topicRecipients',
      filter: topic === null ? {} : { topic },
    };
    const wanted = { after: this.cursors.after(nextToken, context), limit: this.cursors.limit(limit) };
    const { names, presences, count, more } = await this.reachable(this.online.page(tenantId, wanted, topic));
    const items = names.flatMap((recipient) => {
      const times = presences.get(recipient)?.map(({ connectedAt }) => connectedAt);
      if (!times) return [];
      return [{ recipient, connections: times.length, connectedAt: new Date(times.reduce((a, b) => Math.min(a, b))) }];
    });
    return { items, count, nextToken: this.cursors.page(names, more, (name) => name, context).nextToken };
  }

  /** Disconnects a recipient and revokes its tokens. Returns the number of connections closed on all nodes. */
  async disconnect({ tenantId }: Pick<Caller, 'tenantId'>, recipient: string): Promise<number> {
    checkText('recipient', recipient, { min: 1, max: MAX_NAME });
    const at = new Date();
    // Write the cutoff before querying connections: it rejects connections opened later.
    await this.database.of(tenantId).recipientCutoff.upsert({
      where: { tenantId_recipientKey: { tenantId, recipientKey: recipientKey(recipient) } },
      create: { tenantId, recipientKey: recipientKey(recipient), at },
      update: { at },
    });
    // Changes of topics apply to revoked tokens only.
    await this.database.of(tenantId).recipientTopics.deleteMany({ where: { recipientKey: recipientKey(recipient) } });
    const presences = await this.presencesOf(tenantId, recipient);
    this.disconnectHere(tenantId, recipient);
    await this.tell(presences, { kind: 'disconnect', tenantId, recipient });
    return presences.length;
  }

  /** Sends a message to the other nodes of connections. */
  async tell(presences: Presence[], envelope: Envelope): Promise<void> {
    const nodes = new Set(presences.map(({ nodeId }) => nodeId).filter((nodeId) => nodeId !== this.bus.nodeId));
    await this.reachable(Promise.all([...nodes].map((nodeId) => this.bus.send(nodeId, envelope))));
  }

  disconnectHere(tenantId: string, recipient: string): void {
    for (const connection of this.connections.ofRecipient(tenantId, recipient, null)) connection.close(CLOSE.disconnected);
  }

  /** Closes connections of suspended tenants at each refresh. A connection opened during one refresh is closed at the next. */
  private disconnectSuspended(suspended: SuspendedTenants): void {
    for (const tenantId of this.connections.tenantIds()) {
      if (!suspended.has(tenantId)) continue;
      for (const connection of this.connections.ofTenant(tenantId, null)) connection.close(CLOSE.suspended);
    }
  }

  /** Reads what applies to tokens of a recipient. */
  async termsOf({ tenantId, recipient }: Presence): Promise<TokenTerms> {
    return this.terms.add({ tenantId, recipientKey: recipientKey(recipient) });
  }

  /** Removes cutoffs and changes of topics that no valid token is older than. */
  async removeOldTerms(): Promise<void> {
    const { recipientCutoff, recipientTopics } = this.database.acrossTenants('old cutoffs of every tenant are removed');
    const where = { at: { lt: new Date(Date.now() - TOKEN_LIFETIME_MS) } };
    await recipientCutoff.deleteMany({ where });
    await recipientTopics.deleteMany({ where });
  }

  presencesOf(tenantId: string, recipient: string): Promise<Presence[]> {
    return this.reachable(this.online.connectionsOf(tenantId, [recipient]));
  }

  /** Awaits work that needs the bus. @throws SERVICE_UNAVAILABLE while it is down */
  async reachable<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof BusDown)) throw error;
      throw new AppError('SERVICE_UNAVAILABLE', 'Other nodes cannot be reached now; retry later', {
        cause: error,
      });
    }
  }
}

/** Returns connections for a caller, oldest first. */
export function shownConnections(presences: Presence[]): RecipientConnection[] {
  return presences
    .toSorted((a, b) => a.connectedAt - b.connectedAt)
    .slice(0, MAX_CONNECTIONS_SHOWN)
    .map(({ connectionId, recipient, connectedAt, topic, topics, sourceIp }) => {
      const all = allTopics({ topic, topics });
      return { id: connectionId, recipient, topic, topics: all, sourceIp, connectedAt: new Date(connectedAt) };
    });
}
