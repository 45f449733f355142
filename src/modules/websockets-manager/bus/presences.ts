import type { Presence } from './bus.js';

/** Identifies a connection. */
export type PresenceKey = Pick<Presence, 'tenantId' | 'recipient' | 'connectionId'>;

interface Tenant {
  byRecipient: Map<string, Map<string, Presence>>;
  /** How many connections have a topic. */
  topics: Map<string, number>;
}

/** The connections of one worker, by tenant and recipient. */
export class Presences {
  private readonly tenants = new Map<string, Tenant>();

  add(presence: Presence): void {
    const { tenantId, recipient, connectionId, topic } = presence;
    let tenant = this.tenants.get(tenantId);
    if (!tenant) this.tenants.set(tenantId, (tenant = { byRecipient: new Map(), topics: new Map() }));
    let there = tenant.byRecipient.get(recipient);
    if (!there) tenant.byRecipient.set(recipient, (there = new Map()));
    if (there.has(connectionId)) return;
    there.set(connectionId, presence);
    if (topic !== null) tenant.topics.set(topic, (tenant.topics.get(topic) ?? 0) + 1);
  }

  remove({ tenantId, recipient, connectionId }: PresenceKey): void {
    const tenant = this.tenants.get(tenantId);
    const there = tenant?.byRecipient.get(recipient);
    const presence = there?.get(connectionId);
    if (!tenant || !there || !presence) return;
    there.delete(connectionId);
    if (there.size === 0) tenant.byRecipient.delete(recipient);
    if (tenant.byRecipient.size === 0) this.tenants.delete(tenantId);
    if (presence.topic === null) return;
    const count = tenant.topics.get(presence.topic)! - 1;
    if (count > 0) tenant.topics.set(presence.topic, count);
    else tenant.topics.delete(presence.topic);
  }

  of(tenantId: string, recipient: string): Iterable<Presence> {
    return this.tenants.get(tenantId)?.byRecipient.get(recipient)?.values() ?? [];
  }

  has(tenantId: string, recipient: string): boolean {
    return this.tenants.get(tenantId)?.byRecipient.has(recipient) ?? false;
  }

  names(tenantId: string): Iterable<string> {
    return this.tenants.get(tenantId)?.byRecipient.keys() ?? [];
  }

  /** Tells whether a tenant has connections, with the topic unless it is null. */
  hasTopic(tenantId: string, topic: string | null): boolean {
    const tenant = this.tenants.get(tenantId);
    return tenant !== undefined && (topic === null || tenant.topics.has(topic));
  }

  /** Goes through all connections; those that come or go meanwhile may be left out. */
  *[Symbol.iterator](): Generator<Presence> {
    for (const { byRecipient } of this.tenants.values()) for (const there of byRecipient.values()) yield* there.values();
  }
}
