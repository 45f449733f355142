import { Batcher } from '../../../common/scheduling/batcher.js';
import { recipientKey } from '../models/recipient-key.js';
import { isPattern, patternsOf, type Topics } from '../models/topics.js';
import type { LocalConnections, NamesWanted, Presence, PresenceListener, RecipientNames } from './bus.js';
import { RecipientIndex } from './recipient-index.js';
import type { RedisLink } from './redis-link.js';

const PREFIX = 'platform-services:';
/** Lease of a node. A node that does not renew it counts as dead, along with its connections. */
export const LEASE_MS = 15_000;
/** Expiry of the entries of dead nodes. Live nodes renew theirs much earlier. */
export const KEPT_SECONDS = 3_600;
/** Connections registered per call. */
const CONNECTIONS_PER_CALL = 500;

/** Removes ARGV[2] from KEYS[2] by the command ARGV[1], unless the node with the lease KEYS[1] has come back since it was read. */
const REMOVE_OF_DEAD = `if redis.call('exists', KEYS[1]) == 0 then redis.call(ARGV[1], KEYS[2], ARGV[2]) end`;

const LEASES = `${PREFIX}node:`;
const nodeKey = (nodeId: string): string => LEASES + nodeId;
const recipientAt = (tenantId: string, recipient: string): string => `${PREFIX}at:${tenantId}:${recipientKey(recipient)}`;
const tenantAt = (tenantId: string, topic: string | null): string =>
  topic === null ? `${PREFIX}nodes:${tenantId}` : `${PREFIX}nodes:${tenantId}:${recipientKey(topic)}`;
const patternAt = (tenantId: string, pattern: string): string => `${PREFIX}nodes:${tenantId}:*${recipientKey(pattern)}`;
const observersAt = (tenantId: string): string => `${PREFIX}observers:${tenantId}`;

/** Set of the nodes with connections that have a topic or a pattern, or observe their topics. */
interface NodeList {
  key: string;
  /** Returns true if this node has such a connection. */
  isHere: (here: LocalConnections) => boolean;
}

type Listed = Topics & Pick<Presence, 'tenantId' | 'observes'>;

/** Returns the sets of nodes to list a connection in. Each connection is also listed without a topic. */
function listsOf({ tenantId, topic, topics = [], observes }: Listed): NodeList[] {
  const exact = (name: string | null): NodeList => {
    return { key: tenantAt(tenantId, name), isHere: (here) => here.hasTopic(tenantId, name) };
  };
  const pattern = (name: string): NodeList => {
    return { key: patternAt(tenantId, name), isHere: (here) => here.hasPattern(tenantId, name) };
  };
  const own = topic === null ? [exact(null)] : [exact(null), exact(topic)];
  if (observes) own.push({ key: observersAt(tenantId), isHere: (here) => here.hasObserver(tenantId) });
  return [...own, ...topics.map((name) => (isPattern(name) ? pattern(name) : exact(name)))];
}

interface Joining {
  link: RedisLink;
  presence: Presence;
}

type Entry = [
  nodeId: string,
  recipient: string,
  topic: string | null,
  sourceIp: string,
  connectedAt: number,
  topics?: readonly string[],
  topicsAt?: number,
];

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
    const keys = this.leftLists(presences);
    await link.run((redis) =>
      Promise.all([
        ...presences.map(({ tenantId, recipient, connectionId }) => redis.hDel(recipientAt(tenantId, recipient), connectionId)),
        ...this.index.remove(redis, gone, (tenantId) => tenantAt(tenantId, null)),
        ...keys.map((key) => redis.sRem(key, this.nodeId)),
      ]),
    );
  }

  /** Registers the new topics of a connection, and removes this node from the lists of those that no connection has. */
  async changeTopics(link: RedisLink, presence: Presence, before: Topics): Promise<void> {
    const keys = this.leftLists([{ tenantId: presence.tenantId, ...before }]);
    const removed = link.run((redis) => Promise.all(keys.map((key) => redis.sRem(key, this.nodeId))));
    await Promise.all([removed, this.register(link, [presence])]);
  }

  /** Returns the lists of connections in which this node no longer belongs. */
  private leftLists(presences: Listed[]): string[] {
    const left = presences.flatMap(listsOf).filter(({ isHere }) => !isHere(this.here));
    return [...new Set(left.map(({ key }) => key))];
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
      await removeOfDead(
        link,
        dead.map(({ key, connectionId, entry: [nodeId] }) => ({ nodeId, from: ['hdel', key, connectionId] })),
      );
    }
    return others
      .filter(({ entry: [nodeId] }) => alive.has(nodeId))
      .map(({ connectionId, entry: [nodeId, recipient, topic, sourceIp, connectedAt, topics, topicsAt] }) => {
        return { connectionId, nodeId, tenantId, recipient, topic, sourceIp, connectedAt, topics, topicsAt };
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
    const patterns = topic === null ? [] : patternsOf(topic).map((pattern) => patternAt(tenantId, pattern));
    const keys = [tenantAt(tenantId, topic), ...patterns];
    const { alive, dead } = await this.nodesIn(link, keys, topic !== null);
    if (dead.length > 0 && topic === null) await this.forgetDeadNodes(link, tenantId);
    return alive;
  }

  /** Returns the other nodes with connections of a tenant that observe their topics. */
  async observers(link: RedisLink, tenantId: string): Promise<string[]> {
    return (await this.nodesIn(link, [observersAt(tenantId)], true)).alive;
  }

  /** Returns the other nodes in any of several sets, and optionally removes dead ones from them. */
  private async nodesIn(link: RedisLink, keys: string[], removesDead: boolean): Promise<{ alive: string[]; dead: string[] }> {
    const nodes = new Set(await link.run((redis) => redis.sUnion(keys)));
    nodes.delete(this.nodeId);
    const alive = await this.alive(link, nodes);
    const dead = [...nodes].filter((nodeId) => !alive.has(nodeId));
    if (dead.length > 0 && removesDead) {
      await removeOfDead(
        link,
        dead.flatMap((nodeId) => keys.map((key): OfDead => ({ nodeId, from: ['srem', key, nodeId] }))),
      );
    }
    return { alive: [...alive], dead };
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
    const lists = new Set(presences.flatMap(listsOf).map(({ key }) => key));
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

/** Member of a hash or a set that a dead node left behind. */
interface OfDead {
  nodeId: string;
  from: [command: 'hdel' | 'srem', key: string, member: string];
}

async function removeOfDead(link: RedisLink, all: OfDead[]): Promise<void> {
  await link.run((redis) =>
    Promise.all(
      all.map(({ nodeId, from: [command, key, member] }) =>
        redis.eval(REMOVE_OF_DEAD, { keys: [nodeKey(nodeId), key], arguments: [command, member] }),
      ),
    ),
  );
}

function entryOf({ nodeId, recipient, topic, sourceIp, connectedAt, topics, topicsAt }: Presence): string {
  const entry: Entry = [nodeId, recipient, topic, sourceIp, connectedAt];
  if (topics !== undefined) entry.push(topics, topicsAt);
  return JSON.stringify(entry);
}

const parse = (entry: string): Entry => JSON.parse(entry) as Entry;
