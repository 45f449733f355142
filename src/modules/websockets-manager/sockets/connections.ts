import type { Config } from '../../../common/config/config.js';
import type { LocalConnections, NamesWanted, Presence, RecipientNames } from '../bus/bus.js';
import { allTopics, presentIn, receivesTopic, type Topics } from '../models/topics.js';
import type { Connection } from './connection.js';
import { addMember, removeMember, TopicIndex } from './topic-index.js';

/** Topics per connection for which a node, and a tenant on it, has room on average. */
export const MEAN_TOPICS = 20;

type MaxConnections = Pick<Config, 'maxConnections' | 'maxConnectionsPerTenant'>;

interface Tenant {
  all: Set<Connection>;
  /** A single connection is stored without a set, to save memory. */
  byRecipient: Map<string, Connection | Set<Connection>>;
  byTopic: TopicIndex<Connection>;
  /** Number of topics of all connections. */
  topics: number;
  /** Number of connections that observe their topics. */
  observers: number;
}

const NONE: ReadonlySet<Connection> = new Set();

/** Connections of this node, indexed by tenant and recipient. */
export class Connections implements LocalConnections {
  private readonly tenants = new Map<string, Tenant>();
  private total = 0;
  private totalTopics = 0;

  get count(): number {
    return this.total;
  }

  countOf(tenantId: string): number {
    return this.tenants.get(tenantId)?.all.size ?? 0;
  }

  add(connection: Connection): void {
    const { tenantId, recipient } = connection.presence;
    let tenant = this.tenants.get(tenantId);
    if (!tenant)
      this.tenants.set(
        tenantId,
        (tenant = { all: new Set(), byRecipient: new Map(), byTopic: new TopicIndex(), topics: 0, observers: 0 }),
      );
    tenant.all.add(connection);
    addMember(tenant.byRecipient, recipient, connection);
    this.addTopics(tenant, connection);
    if (connection.presence.observes) tenant.observers++;
    this.total++;
  }

  /** Removes a connection. Returns false if it was absent. */
  remove(connection: Connection): boolean {
    const { tenantId, recipient } = connection.presence;
    const tenant = this.tenants.get(tenantId);
    if (!tenant?.all.delete(connection)) return false;
    this.total--;
    removeMember(tenant.byRecipient, recipient, connection);
    this.removeTopics(tenant, connection);
    if (connection.presence.observes) tenant.observers--;
    if (tenant.all.size === 0) this.tenants.delete(tenantId);
    return true;
  }

  /** Returns true if a tenant may have more topics, for the given maximum numbers of connections. */
  hasRoomFor(tenantId: string, more: number, { maxConnections, maxConnectionsPerTenant }: MaxConnections): boolean {
    const ofTenant = (this.tenants.get(tenantId)?.topics ?? 0) + more;
    return ofTenant <= MEAN_TOPICS * maxConnectionsPerTenant && this.totalTopics + more <= MEAN_TOPICS * maxConnections;
  }

  /** Replaces the topics of a connection. Does nothing if it was removed. */
  setTopics(connection: Connection, { topic, topics }: Topics): void {
    const { presence } = connection;
    const tenant = this.tenants.get(presence.tenantId);
    if (!tenant?.all.has(connection)) return;
    this.removeTopics(tenant, connection);
    presence.topic = topic;
    presence.topics = topics;
    this.addTopics(tenant, connection);
  }

  private addTopics(tenant: Tenant, connection: Connection): void {
    tenant.byTopic.add(connection.presence, connection);
    this.countTopics(tenant, allTopics(connection.presence).length);
  }

  private removeTopics(tenant: Tenant, connection: Connection): void {
    tenant.byTopic.remove(connection.presence, connection);
    this.countTopics(tenant, -allTopics(connection.presence).length);
  }

  private countTopics(tenant: Tenant, more: number): void {
    tenant.topics += more;
    this.totalTopics += more;
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
    return this.find({ tenantId, recipient, connectionId }) !== undefined;
  }

  find({ tenantId, recipient, connectionId }: Pick<Presence, 'tenantId' | 'recipient' | 'connectionId'>): Connection | undefined {
    return this.ofRecipient(tenantId, recipient, null).find(({ presence }) => presence.connectionId === connectionId);
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
    return tenant !== undefined && (topic === null || tenant.byTopic.has(topic));
  }

  hasPattern(tenantId: string, pattern: string): boolean {
    return this.tenants.get(tenantId)?.byTopic.hasPattern(pattern) ?? false;
  }

  hasObserver(tenantId: string): boolean {
    return (this.tenants.get(tenantId)?.observers ?? 0) > 0;
  }

  topicsOf(tenantId: string, recipient: string): string[] {
    return [...new Set(this.ofRecipient(tenantId, recipient, null).flatMap(({ presence }) => presentIn(presence)))];
  }

  /** Returns a page of the recipients present in a topic. */
  topicRecipients(tenantId: string, topic: string, wanted: NamesWanted): RecipientNames {
    const there = this.tenants.get(tenantId)?.byTopic.named(topic) ?? NONE;
    const names = new Set(Array.from(there, ({ presence }) => presence.recipient));
    return { names: firstNames(names, wanted), count: names.size };
  }

  *[Symbol.iterator](): Generator<Connection> {
    for (const { all } of this.tenants.values()) yield* all;
  }

  tenantIds(): string[] {
    return [...this.tenants.keys()];
  }

  /** Returns the connections of a tenant that receive messages of a topic. */
  ofTenant(tenantId: string, topic: string | null): Iterable<Connection> {
    return topic === null ? (this.tenants.get(tenantId)?.all ?? NONE) : this.ofTopic(tenantId, topic);
  }

  /** Returns the connections of a tenant that have a topic, or a pattern that matches it. */
  ofTopic(tenantId: string, topic: string): ReadonlySet<Connection> {
    return this.tenants.get(tenantId)?.byTopic.of(topic) ?? NONE;
  }

  /** Returns the connections of a recipient that receive messages of a topic. */
  ofRecipient(tenantId: string, recipient: string, topic: string | null): Connection[] {
    const there = this.tenants.get(tenantId)?.byRecipient.get(recipient);
    if (!there) return [];
    const all = there instanceof Set ? [...there] : [there];
    return all.filter(({ presence }) => receivesTopic(presence, topic));
  }
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
