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
import { Bus, BusDown, type Presence } from '../bus/bus.js';
import { RegisterRecipientInput } from './recipient.inputs.js';
import { MAX_TOKEN_SECONDS, RECIPIENTS_PER_STATEMENT } from '../models/limits.js';
import {
  MAX_CONNECTIONS_SHOWN,
  type OnlineRecipientsResult,
  type RecipientConnection,
  type RegisterRecipientResponse,
} from './recipient.model.js';
import { type RecipientKey, recipientKey } from '../models/recipient-key.js';
import { cutoffsOf } from './cutoffs.queries.js';
import { RecipientTokens } from './recipient-tokens.js';
import { OnlineRecipientsService } from './online-recipients.service.js';
import { CLOSE } from '../sockets/connection.js';
import { Connections } from '../sockets/connections.js';

/** Retention of cutoffs, longer than the lifetime of any token. */
const CUTOFF_LIFETIME_MS = (MAX_TOKEN_SECONDS + 60) * 1_000;

/** Registers, lists and disconnects recipients. Recipients themselves are not stored. */
@Injectable()
export class RecipientsService {
  /** Queries the cutoffs of many recipients in one statement: thousands connect after a restart. */
  private readonly cutoffs = new Batcher((wanted: RecipientKey[]) => cutoffsOf(this.database, wanted), {
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
    const { recipient, topic = null, sourceIp = null, origin = null, ...rest } = checkInput(RegisterRecipientInput.rules, input);
    const asked = { closeOnExpiry: rest.closeOnExpiry ?? false, acknowledge: rest.acknowledge ?? false };
    const content = { tenantId, recipient, topic, sourceIp, origin, ...asked };
    const { value, expiresAt } = this.tokens.issue(content, rest.expiresIn ?? MAX_TOKEN_SECONDS);
    return { token: { value, recipient, topic, expiresAt }, connectionUri: `${this.address.webSocket}/?token=${value}` };
  }

  async connectionsOf({ tenantId }: Caller, recipient: string): Promise<RecipientConnection[]> {
    checkText('recipient', recipient, { min: 1, max: MAX_NAME });
    const presences = await this.presencesOf(tenantId, recipient);
    return presences
      .toSorted((a, b) => a.connectedAt - b.connectedAt)
      .slice(0, MAX_CONNECTIONS_SHOWN)
      .map(({ connectionId, connectedAt, topic, sourceIp }) => {
        return { id: connectionId, recipient, topic, sourceIp, connectedAt: new Date(connectedAt) };
      });
  }

  /** Returns a page of connected recipients by name: a recipient that stays connected is on exactly one page. */
  async onlinePage({ tenantId }: Caller, nextToken: string | null, limit: number | null): Promise<OnlineRecipientsResult> {
    const context = { tenantId, operation: 'onlineRecipients', filter: {} };
    const wanted = { after: this.cursors.after(nextToken, context), limit: this.cursors.limit(limit) };
    const { names, presences, count, more } = await this.reachable(this.online.page(tenantId, wanted));
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
    const presences = await this.presencesOf(tenantId, recipient);
    this.disconnectHere(tenantId, recipient);
    const nodes = new Set(presences.map(({ nodeId }) => nodeId).filter((nodeId) => nodeId !== this.bus.nodeId));
    await this.reachable(
      Promise.all([...nodes].map((nodeId) => this.bus.send(nodeId, { kind: 'disconnect', tenantId, recipient }))),
    );
    return presences.length;
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

  /** Returns true if the recipient was disconnected after its token was issued. */
  async isCutOff({ tenantId, recipient }: Presence, tokenIssuedAt: number): Promise<boolean> {
    const at = await this.cutoffs.add({ tenantId, recipientKey: recipientKey(recipient) });
    return at !== undefined && tokenIssuedAt <= at;
  }

  async removeOldCutoffs(): Promise<void> {
    const { recipientCutoff } = this.database.acrossTenants('old cutoffs of every tenant are removed');
    await recipientCutoff.deleteMany({ where: { at: { lt: new Date(Date.now() - CUTOFF_LIFETIME_MS) } } });
  }

  private presencesOf(tenantId: string, recipient: string): Promise<Presence[]> {
    return this.reachable(this.online.connectionsOf(tenantId, [recipient]));
  }

  private async reachable<T>(work: Promise<T>): Promise<T> {
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
