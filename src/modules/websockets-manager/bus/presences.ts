import type { NamesWanted, Presence } from './bus.js';

/** Identifies a connection. */
export type PresenceKey = Pick<Presence, 'tenantId' | 'recipient' | 'connectionId'>;

interface Tenant {
  /** All connections share it. */
  id: string;
  /** Most recipients have one connection; a map of its own would cost memory in each worker. */
  byRecipient: Map<string, Presence | Map<string, Presence>>;
  /** How many connections have a topic. */
  topics: Map<string, number>;
}

/** The connections of one worker, by tenant and recipient. */
export class Presences {
  private readonly tenants = new Map<string, Tenant>();

  add(presence: Presence): void {
    const { tenantId, recipient, connectionId, topic } = presence;
    let tenant = this.tenants.get(tenantId);
    if (!tenant) this.tenants.set(tenantId, (tenant = { id: tenantId, byRecipient: new Map(), topics: new Map() }));
    const there = tenant.byRecipient.get(recipient);
    if (find(there, connectionId)) return;
    presence.tenantId = tenant.id;
    if (there instanceof Map) there.set(connectionId, presence);
    else tenant.byRecipient.set(recipient, there ? new Map([there, presence].map((one) => [one.connectionId, one])) : presence);
    if (topic !== null) tenant.topics.set(topic, (tenant.topics.get(topic) ?? 0) + 1);
  }

  remove({ tenantId, recipient, connectionId }: PresenceKey): void {
    const tenant = this.tenants.get(tenantId);
    const there = tenant?.byRecipient.get(recipient);
    const presence = find(there, connectionId);
    if (!tenant || !presence) return;
    if (there instanceof Map) there.delete(connectionId);
    if (there === presence || (there instanceof Map && there.size === 0)) tenant.byRecipient.delete(recipient);
    if (tenant.byRecipient.size === 0) this.tenants.delete(tenantId);
    if (presence.topic === null) return;
    const count = tenant.topics.get(presence.topic)! - 1;
    if (count > 0) tenant.topics.set(presence.topic, count);
    else tenant.topics.delete(presence.topic);
  }

  of(tenantId: string, recipient: string): Iterable<Presence> {
    return all(this.tenants.get(tenantId)?.byRecipient.get(recipient));
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
    for (const { byRecipient } of this.tenants.values()) for (const there of byRecipient.values()) yield* all(there);
  }
}

function find(there: Presence | Map<string, Presence> | undefined, connectionId: string): Presence | undefined {
  if (there instanceof Map) return there.get(connectionId);
  return there?.connectionId === connectionId ? there : undefined;
}

function all(there: Presence | Map<string, Presence> | undefined): Iterable<Presence> {
  if (!there) return [];
  return there instanceof Map ? there.values() : [there];
}

/** Finds the first names in order in one pass: sorting all names for each page would block the event loop. */
export function firstNames(names: Iterable<string>, { after, limit }: NamesWanted): string[] {
  let first: string[] = [];
  let last: string | undefined;
  for (const name of names) {
    if ((after !== undefined && name <= after) || (last !== undefined && name >= last)) continue;
    first.push(name);
    if (first.length < 2 * limit) continue;
    first = first.sort().slice(0, limit);
    last = first.at(-1);
  }
  return first.sort().slice(0, limit);
}
