import { Batcher } from '../../../common/scheduling/batcher.js';
import { recipientKey } from '../models/recipient-key.js';
import type { LocalConnections, NamesWanted, Presence, PresenceListener, RecipientNames } from './bus.js';
import { RecipientIndex } from './recipient-index.js';
import type { RedisLink } from './redis-link.js';

const PREFIX = 'platform-services:';
/** Lease of a node. A node that does not renew it counts as dead, along with its connections. */
export const LEASE_MS = 15_000;
/** Expiry of the entries of dead nodes. Live nodes renew theirs much earlier. */
const KEPT_SECONDS = 3_600;
/** Connections registered per call. */
const CONNECTIONS_PER_CALL = 500;

const LEASES = `${PREFIX}node:`;
const nodeKey = (nodeId: string): string => LEASES + nodeId;
const recipientAt = (tenantId: string, recipient: string): string => `${PREFIX}at:${tenantId}:${recipientKey(recipient)}`;
const tenantAt = (tenantId: string, topic: string | null): string =>
  topic === null ? `${PREFIX}nodes:${tenantId}` : `${PREFIX}nodes:${tenantId}:${recipientKey(topic)}`;

/** Returns the topics to list a connection under. Each connection is also listed without a topic. */
const topicsOf = ({ topic }: Presence): (string | null)[] => (topic === null ? [null] : [null, topic]);

interface Joining {
  link: RedisLink;
  presence: Presence;
}

type Entry = [nodeId: string, recipient: string, topic: string | null, sourceIp: string, connectedAt: number];

/** Registry of connections in Redis: a hash per recipient, a set of nodes per tenant and topic, and an index of names. */
export class Registry {
  /** Connections of this node, set before the first link opens. */
  here: LocalConnections;
  /** Ids of connections sent to Redis. */
  private readonly registered = new Set<string>();
  /** Ended connections that Redis may still contain. */
  private readonly departed = new Set<Presence>();

  private readonly index: RecipientIndex;

  /** Registers new connections in batches, over the newest link of each batch. */
  private readonly joins = new Batcher(
    (joining: Joining[]) => {
      const { link } = joining.at(-1)!;
      return this.register(
        link,
        joining.map(({ presence }) => presence),
      );
    },
    { maxLength: CONNECTIONS_PER_CALL },
  );

  constructor(
    private readonly nodeId: string,
    presenceListener: () => PresenceListener,
  ) {
    this.index = new RecipientIndex(nodeId, LEASES, KEPT_SECONDS, presenceListener);
  }

  /** Renews the lease of this node. Returns false if it had expired. */
  async renewLease(link: RedisLink): Promise<boolean> {
    const options = { expiration: { type: 'PX', value: LEASE_MS }, GET: true } as const;
    return (await link.run((redis) => redis.set(nodeKey(this.nodeId), '1', options))) !== null;
  }

  async endLease(link: RedisLink): Promise<void> {
    await link.run((redis) => redis.del(nodeKey(this.nodeId)));
  }

  /** Registers all connections again, before their entries expire or after a data loss of Redis. */
  async renewAll(link: RedisLink): Promise<void> {
    const all = [...this.here.presences()];
    for (let from = 0; from < all.length; from += CONNECTIONS_PER_CALL)
      await this.register(link, all.slice(from, from + CONNECTIONS_PER_CALL));
    for (const tenantId of new Set(all.map((presence) => presence.tenantId))) await this.forgetDeadNodes(link, tenantId);
  }

  async add(link: RedisLink, presence: Presence): Promise<void> {
    await this.joins.add({ link, presence });
  }

  /** Marks a connection for removal by the next `forgetDeparted`. */
  depart(presence: Presence): void {
    if (this.registered.delete(presence.connectionId)) this.departed.add(presence);
  }

  /** Removes ended connections from Redis. The next call retries after a failure. */
  async forgetDeparted(link: RedisLink): Promise<void> {
    while (this.departed.size > 0) {
      const some = [...this.departed].slice(0, CONNECTIONS_PER_CALL);
      for (const presence of some) this.departed.delete(presence);
      try {
        await this.remove(link, some);
      } catch (error) {
        for (const presence of some) this.departed.add(presence);
        throw error;
      }
    }
  }

  private async remove(link: RedisLink, presences: Presence[]): Promise<void> {
    const gone = presences.filter(({ tenantId, recipient }) => !this.here.hasRecipient(tenantId, recipient));
    const lists = presences.flatMap((one) => topicsOf(one).map((topic) => ({ tenantId: one.tenantId, topic })));
    const left = lists.filter(({ tenantId, topic }) => !this.here.hasTopic(tenantId, topic));
    const keys = new Set(left.map(({ tenantId, topic }) => tenantAt(tenantId, topic)));
    await link.run((redis) =>
      Promise.all([
        ...presences.map(({ tenantId, recipient, connectionId }) => redis.hDel(recipientAt(tenantId, recipient), connectionId)),
        ...this.index.remove(redis, gone, (tenantId) => tenantAt(tenantId, null)),
        ...[...keys].map((key) => redis.sRem(key, this.nodeId)),
      ]),
    );
  }

  /** Returns the connections of recipients on other live nodes. */
  async elsewhere(link: RedisLink, tenantId: string, recipients: string[]): Promise<Presence[]> {
    const keys = recipients.map((recipient) => recipientAt(tenantId, recipient));
    const hashes = await link.run((redis) => Promise.all(keys.map((key) => redis.hGetAll(key))));
    const found = hashes.flatMap((hash, index) => {
      return Object.entries(hash).map(([connectionId, entry]) => ({ key: keys[index]!, connectionId, entry: parse(entry) }));
    });
    const others = found.filter(({ entry: [nodeId] }) => nodeId !== this.nodeId);
    const alive = await this.alive(link, new Set(others.map(({ entry: [nodeId] }) => nodeId)));
    const dead = others.filter(({ entry: [nodeId] }) => !alive.has(nodeId));
    if (dead.length > 0) {
      await link.run((redis) => Promise.all(dead.map(({ key, connectionId }) => redis.hDel(key, connectionId))));
    }
    return others
      .filter(({ entry: [nodeId] }) => alive.has(nodeId))
      .map(({ connectionId, entry: [nodeId, recipient, topic, sourceIp, connectedAt] }) => {
        return { connectionId, nodeId, tenantId, recipient, topic, sourceIp, connectedAt };
      });
  }

  async recipients(link: RedisLink, tenantId: string, wanted: NamesWanted): Promise<RecipientNames> {
    return this.index.read(link, { tenantId, nodes: tenantAt(tenantId, null) }, wanted);
  }

  /** Returns, once each, recipients that went offline with their node. */
  async lostRecipients(link: RedisLink, tenantId: string): Promise<string[]> {
    await this.forgetDeadNodes(link, tenantId);
    return this.index.takeLost(link, tenantId);
  }

  async nodesWith(link: RedisLink, tenantId: string, topic: string | null): Promise<string[]> {
    const key = tenantAt(tenantId, topic);
    const nodes = new Set(await link.run((redis) => redis.sMembers(key)));
    nodes.delete(this.nodeId);
    const alive = await this.alive(link, nodes);
    const dead = [...nodes].filter((nodeId) => !alive.has(nodeId));
    if (dead.length > 0 && topic !== null) await link.run((redis) => redis.sRem(key, dead));
    if (dead.length > 0 && topic === null) await this.forgetDeadNodes(link, tenantId);
    return [...alive];
  }

  /** Removes the names of dead nodes. Must run before their entries expire, which list their recipients. */
  private async forgetDeadNodes(link: RedisLink, tenantId: string): Promise<void> {
    await this.recipients(link, tenantId, { after: undefined, limit: 0 });
  }

  private async alive(link: RedisLink, nodes: Set<string>): Promise<Set<string>> {
    if (nodes.size === 0) return new Set();
    const ids = [...nodes];
    const leases = await link.run((redis) => redis.mGet(ids.map(nodeKey)));
    return new Set(ids.filter((_, index) => leases[index] !== null));
  }

  /** Writes connections to Redis. Skips ended ones, which nothing would remove later. */
  private async register(link: RedisLink, all: Presence[]): Promise<void> {
    const presences = all.filter((presence) => this.here.has(presence));
    const fresh = new Set(presences.filter(({ connectionId }) => !this.registered.has(connectionId)));
    for (const { connectionId } of presences) this.registered.add(connectionId);
    const lists = new Set(presences.flatMap((one) => topicsOf(one).map((topic) => tenantAt(one.tenantId, topic))));
    await link.run((redis) =>
      Promise.all([
        ...presences.flatMap((presence) => {
          const key = recipientAt(presence.tenantId, presence.recipient);
          return [redis.hSet(key, presence.connectionId, entryOf(presence)), redis.expire(key, KEPT_SECONDS)];
        }),
        ...[...lists].flatMap((list) => [redis.sAdd(list, this.nodeId), redis.expire(list, KEPT_SECONDS)]),
        ...this.index.add(redis, presences, (presence) => fresh.has(presence)),
      ]),
    );
  }
}

function entryOf({ nodeId, recipient, topic, sourceIp, connectedAt }: Presence): string {
  return JSON.stringify([nodeId, recipient, topic, sourceIp, connectedAt] satisfies Entry);
}

const parse = (entry: string): Entry => JSON.parse(entry) as Entry;
