import { recipientKey } from '../recipient-key.js';
import type { NamesWanted, Presence, RecipientNames } from './bus.js';
import { RecipientIndex } from './recipient-index.js';
import type { RedisLink } from './redis-link.js';

const PREFIX = 'platform-services:';
/** A node that does not renew its lease for so long is gone, and with it all its connections. */
const LEASE_MS = 15_000;
/** What a node that is gone left behind goes by itself. Nodes renew what is theirs long before. */
const KEPT_SECONDS = 3_600;
/** Connections that are registered in one turn. */
const BATCH = 500;

const LEASES = `${PREFIX}node:`;
const nodeKey = (nodeId: string): string => LEASES + nodeId;
const recipientAt = (tenantId: string, recipient: string): string => `${PREFIX}at:${tenantId}:${recipientKey(recipient)}`;
const tenantAt = (tenantId: string, topic: string | null): string =>
  topic === null ? `${PREFIX}nodes:${tenantId}` : `${PREFIX}nodes:${tenantId}:${recipientKey(topic)}`;

/** The labels under which a connection makes its node known. */
const labelsOf = ({ tenantId, topic }: Presence): string[] =>
  topic === null ? [tenantAt(tenantId, null)] : [tenantAt(tenantId, null), tenantAt(tenantId, topic)];

type Entry = [nodeId: string, recipient: string, topic: string | null, sourceIp: string, connectedAt: number];

/** Who is connected to which node, in Redis: a hash per recipient, a set of nodes per tenant and topic, and an index by name. */
export class Registry {
  /** How many connections of this node stand behind a label. */
  private readonly labels = new Map<string, number>();
  /** The connections of this node, by their id: whether Redis was told of them. */
  private readonly here = new Map<string, { isTold: boolean }>();
  /** Those that ended, and that Redis may still know. None is added while there is no link, but for those that were told. */
  private readonly departed = new Set<Presence>();

  private readonly index: RecipientIndex;

  constructor(private readonly nodeId: string) {
    this.index = new RecipientIndex(nodeId, LEASES, KEPT_SECONDS);
  }

  /** Says that this node is alive. Answers with whether Redis knew. */
  async renewLease(link: RedisLink): Promise<boolean> {
    const options = { expiration: { type: 'PX', value: LEASE_MS }, GET: true } as const;
    return (await link.run((redis) => redis.set(nodeKey(this.nodeId), '1', options))) !== null;
  }

  async endLease(link: RedisLink): Promise<void> {
    await link.run((redis) => redis.del(nodeKey(this.nodeId)));
  }

  /** Registers again what is registered already, or what a new Redis does not know. */
  async renewAll(link: RedisLink, presences: Iterable<Presence>): Promise<void> {
    const all = [...presences];
    for (let from = 0; from < all.length; from += BATCH) await this.register(link, all.slice(from, from + BATCH));
    for (const tenantId of new Set(all.map((presence) => presence.tenantId))) await this.forgetDeadNodes(link, tenantId);
  }

  async add(link: RedisLink, presence: Presence): Promise<void> {
    await this.register(link, [presence]);
  }

  /** To be called for every connection once, whether or not the bus works. */
  count(presence: Presence): void {
    this.here.set(presence.connectionId, { isTold: false });
    this.index.count(presence);
    for (const label of labelsOf(presence)) this.labels.set(label, (this.labels.get(label) ?? 0) + 1);
  }

  /** The same at its end; `forgetDeparted` makes it known. */
  discount(presence: Presence): void {
    if (this.here.get(presence.connectionId)?.isTold) this.departed.add(presence);
    this.here.delete(presence.connectionId);
    this.index.discount(presence);
    for (const label of labelsOf(presence)) {
      const count = this.labels.get(label)! - 1;
      if (count > 0) this.labels.set(label, count);
      else this.labels.delete(label);
    }
  }

  /** Takes from Redis the connections that ended; after a failure they are kept for the next call. */
  async forgetDeparted(link: RedisLink): Promise<void> {
    while (this.departed.size > 0) {
      const some = [...this.departed].slice(0, BATCH);
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
    const emptyLabels = [...new Set(presences.flatMap(labelsOf))].filter((label) => !this.labels.has(label));
    await link.run((redis) =>
      Promise.all([
        ...presences.map(({ tenantId, recipient, connectionId }) => redis.hDel(recipientAt(tenantId, recipient), connectionId)),
        ...this.index.remove(redis, presences, (tenantId) => tenantAt(tenantId, null)),
        ...emptyLabels.map((label) => redis.sRem(label, this.nodeId)),
      ]),
    );
  }

  /** The connections of recipients on other nodes that are alive. */
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

  /** Before what they left goes by itself, or nobody would know which recipients were theirs. */
  private async forgetDeadNodes(link: RedisLink, tenantId: string): Promise<void> {
    await this.recipients(link, tenantId, { after: undefined, limit: 0 });
  }

  private async alive(link: RedisLink, nodes: Set<string>): Promise<Set<string>> {
    if (nodes.size === 0) return new Set();
    const ids = [...nodes];
    const leases = await link.run((redis) => redis.mGet(ids.map(nodeKey)));
    return new Set(ids.filter((_, index) => leases[index] !== null));
  }

  /** But for those that have ended meanwhile: nobody would take them back. */
  private async register(link: RedisLink, given: Presence[]): Promise<void> {
    const presences = given.filter(({ connectionId }) => this.here.has(connectionId));
    for (const { connectionId } of presences) this.here.get(connectionId)!.isTold = true;
    const labels = new Set(presences.flatMap(labelsOf));
    await link.run((redis) =>
      Promise.all([
        ...presences.flatMap((presence) => {
          const key = recipientAt(presence.tenantId, presence.recipient);
          return [redis.hSet(key, presence.connectionId, entryOf(presence)), redis.expire(key, KEPT_SECONDS)];
        }),
        ...[...labels].flatMap((label) => [redis.sAdd(label, this.nodeId), redis.expire(label, KEPT_SECONDS)]),
        ...this.index.add(redis, presences),
      ]),
    );
  }
}

function entryOf({ nodeId, recipient, topic, sourceIp, connectedAt }: Presence): string {
  return JSON.stringify([nodeId, recipient, topic, sourceIp, connectedAt] satisfies Entry);
}

const parse = (entry: string): Entry => JSON.parse(entry) as Entry;
