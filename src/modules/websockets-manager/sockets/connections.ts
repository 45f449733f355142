import type { LocalConnections, NamesWanted, Presence, RecipientNames } from '../bus/bus.js';
import type { Connection } from './connection.js';

interface Tenant {
  all: Set<Connection>;
  /** A single connection is stored without a set, to save memory. */
  byRecipient: Map<string, Connection | Set<Connection>>;
  /** Number of connections by topic. */
  topics: Map<string, number>;
}

const NONE: ReadonlySet<Connection> = new Set();

/** Connections of this node, indexed by tenant and recipient. */
export class Connections implements LocalConnections {
  private readonly tenants = new Map<string, Tenant>();
  private total = 0;

  get count(): number {
    return this.total;
  }

  countOf(tenantId: string): number {
    return this.tenants.get(tenantId)?.all.size ?? 0;
  }

  add(connection: Connection): void {
    const { tenantId, recipient, topic } = connection.presence;
    let tenant = this.tenants.get(tenantId);
    if (!tenant) this.tenants.set(tenantId, (tenant = { all: new Set(), byRecipient: new Map(), topics: new Map() }));
    tenant.all.add(connection);
    const there = tenant.byRecipient.get(recipient);
    if (there instanceof Set) there.add(connection);
    else tenant.byRecipient.set(recipient, there ? new Set([there, connection]) : connection);
    if (topic !== null) tenant.topics.set(topic, (tenant.topics.get(topic) ?? 0) + 1);
    this.total++;
  }

  /** Removes a connection. Returns false if it was absent. */
  remove(connection: Connection): boolean {
    const { tenantId, recipient, topic } = connection.presence;
    const tenant = this.tenants.get(tenantId);
    if (!tenant?.all.delete(connection)) return false;
    this.total--;
    const there = tenant.byRecipient.get(recipient);
    if (there instanceof Set) there.delete(connection);
    if (there === connection || (there instanceof Set && there.size === 0)) tenant.byRecipient.delete(recipient);
    if (topic !== null) discount(tenant.topics, topic);
    if (tenant.all.size === 0) this.tenants.delete(tenantId);
    return true;
  }

  /** Returns a page of the connected recipients of a tenant. */
  recipients(tenantId: string, wanted: NamesWanted): RecipientNames {
    const { byRecipient } = this.tenants.get(tenantId) ?? { byRecipient: new Map<string, unknown>() };
    return { names: firstNames(byRecipient.keys(), wanted), count: byRecipient.size };
  }

  *presences(): Generator<Presence> {
    for (const { presence } of this) yield presence;
  }

  has({ tenantId, recipient, connectionId }: Presence): boolean {
    return this.ofRecipient(tenantId, recipient, null).some(({ presence }) => presence.connectionId === connectionId);
  }

  hasRecipient(tenantId: string, recipient: string): boolean {
    return this.tenants.get(tenantId)?.byRecipient.has(recipient) ?? false;
  }

  isOnly({ tenantId, recipient, connectionId }: Presence): boolean {
    const there = this.tenants.get(tenantId)?.byRecipient.get(recipient);
    const one = there instanceof Set && there.size === 1 ? [...there][0] : there;
    return !(one instanceof Set) && one?.presence.connectionId === connectionId;
  }

  hasTopic(tenantId: string, topic: string | null): boolean {
    const tenant = this.tenants.get(tenantId);
    return tenant !== undefined && (topic === null || tenant.topics.has(topic));
  }

  *[Symbol.iterator](): Generator<Connection> {
    for (const { all } of this.tenants.values()) yield* all;
  }

  tenantIds(): string[] {
    return [...this.tenants.keys()];
  }

  /** Returns the connections of a tenant that receive messages of a topic. */
  ofTenant(tenantId: string, topic: string | null): Iterable<Connection> {
    const all = this.tenants.get(tenantId)?.all ?? NONE;
    return topic === null ? all : [...all].filter(({ presence }) => receivesTopic(presence, topic));
  }

  /** Returns the connections of a recipient that receive messages of a topic. */
  ofRecipient(tenantId: string, recipient: string, topic: string | null): Connection[] {
    const there = this.tenants.get(tenantId)?.byRecipient.get(recipient);
    if (!there) return [];
    const all = there instanceof Set ? [...there] : [there];
    return all.filter(({ presence }) => receivesTopic(presence, topic));
  }
}

function discount(counts: Map<string, number>, name: string): void {
  const count = counts.get(name)! - 1;
  if (count > 0) counts.set(name, count);
  else counts.delete(name);
}

/**
 * Returns true if a connection receives messages of a topic. A message without a topic goes to every connection, one with a topic only to
 * connections with that topic.
 */
export function receivesTopic(presence: Pick<Presence, 'topic'>, topic: string | null): boolean {
  return topic === null || presence.topic === topic;
}

/** Finds the first names in one pass: sorting all names for each page would block the event loop. */
function firstNames(names: Iterable<string>, { after, limit }: NamesWanted): string[] {
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
