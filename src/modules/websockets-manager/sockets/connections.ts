import type { NamesWanted, Presence, RecipientNames } from '../bus/bus.js';
import type { Connection } from './connection.js';

interface Tenant {
  all: Set<Connection>;
  /** One connection, as most recipients have, or several. */
  byRecipient: Map<string, Connection | Set<Connection>>;
}

const NONE: ReadonlySet<Connection> = new Set();

/** The connections of this node, found by tenant and recipient. */
export class Connections {
  private readonly tenants = new Map<string, Tenant>();
  private total = 0;

  get count(): number {
    return this.total;
  }

  countOf(tenantId: string): number {
    return this.tenants.get(tenantId)?.all.size ?? 0;
  }

  add(connection: Connection): void {
    const { tenantId, recipient } = connection.presence;
    let tenant = this.tenants.get(tenantId);
    if (!tenant) this.tenants.set(tenantId, (tenant = { all: new Set(), byRecipient: new Map() }));
    tenant.all.add(connection);
    const there = tenant.byRecipient.get(recipient);
    if (there instanceof Set) there.add(connection);
    else tenant.byRecipient.set(recipient, there ? new Set([there, connection]) : connection);
    this.total++;
  }

  /** Answers with whether it was there. */
  remove(connection: Connection): boolean {
    const { tenantId, recipient } = connection.presence;
    const tenant = this.tenants.get(tenantId);
    if (!tenant?.all.delete(connection)) return false;
    this.total--;
    const there = tenant.byRecipient.get(recipient);
    if (there instanceof Set) there.delete(connection);
    if (there === connection || (there instanceof Set && there.size === 0)) tenant.byRecipient.delete(recipient);
    if (tenant.all.size === 0) this.tenants.delete(tenantId);
    return true;
  }

  /** The recipients of a tenant. */
  recipients(tenantId: string, wanted: NamesWanted): RecipientNames {
    const { byRecipient } = this.tenants.get(tenantId) ?? { byRecipient: new Map<string, unknown>() };
    return { names: firstNames(byRecipient.keys(), wanted), count: byRecipient.size };
  }

  *[Symbol.iterator](): Generator<Connection> {
    for (const { all } of this.tenants.values()) yield* all;
  }

  tenantIds(): string[] {
    return [...this.tenants.keys()];
  }

  /** All of a tenant, or those with a topic. */
  ofTenant(tenantId: string, topic: string | null): Iterable<Connection> {
    const all = this.tenants.get(tenantId)?.all ?? NONE;
    return topic === null ? all : [...all].filter(({ presence }) => isMeant(presence, topic));
  }

  /** Those of a recipient that a message with this topic is meant for. */
  ofRecipient(tenantId: string, recipient: string, topic: string | null): Connection[] {
    const there = this.tenants.get(tenantId)?.byRecipient.get(recipient);
    if (!there) return [];
    const all = there instanceof Set ? [...there] : [there];
    return all.filter(({ presence }) => isMeant(presence, topic));
  }
}

/** The first of them in their order, in one pass: to sort all of them for each page would hold everybody up. */
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

/** Without a topic a message is for every connection; with one, for those that were registered with exactly that. */
export function isMeant(presence: Pick<Presence, 'topic'>, topic: string | null): boolean {
  return topic === null || presence.topic === topic;
}
