import { presentIn } from '../models/topics.js';
import type { LocalConnections, NamesWanted, Presence, RecipientNames, TopicMove } from './bus.js';
import type { RedisLink } from './redis-link.js';
import type { RedisClient } from './redis-target.js';

const PREFIX = 'platform-services:';
/** Prefix of the sets of a topic's recipients. */
const membersOf = (tenantId: string): string => `${PREFIX}members:${tenantId}:`;
/** Hash of a recipient's topics by node. */
const topicsAt = (tenantId: string, recipient: string): string => `${PREFIX}topics:${tenantId}:${recipient}`;
/** Set of the recipients with topics on a node. */
const recipientsOn = (nodeId: string): string => `${PREFIX}recipients:${nodeId}`;
/** Exists once other nodes have removed a recipient of a node. */
const removedOf = (nodeId: string): string => `${PREFIX}removed:${nodeId}`;
const RECIPIENTS_PER_CALL = 500;

/**
 * Replaces the topics of recipient ARGV[3] on node ARGV[1] by the JSON list ARGV[2]. KEYS[1] has the recipient's topics by node, KEYS[2]
 * with a topic appended the recipients of that topic, KEYS[3] the recipients of the node, with ARGV[4] for this one. KEYS[4], if given, is
 * set when the recipient is removed from the node: in this script, so that a node which restores its recipients meanwhile learns of it.
 * All expire after ARGV[5] seconds. Returns the topics that the recipient joined and left, over all nodes.
 */
const MOVE = `
local function all()
  local found = {}
  for _, list in ipairs(redis.call('hvals', KEYS[1])) do
    for _, topic in ipairs(cjson.decode(list)) do found[topic] = true end
  end
  return found
end
local before = all()
if ARGV[2] == '[]' then
  redis.call('hdel', KEYS[1], ARGV[1])
  redis.call('srem', KEYS[3], ARGV[4])
  if KEYS[4] then redis.call('set', KEYS[4], '1', 'ex', ARGV[5]) end
else
  redis.call('hset', KEYS[1], ARGV[1], ARGV[2])
  redis.call('expire', KEYS[1], ARGV[5])
  redis.call('sadd', KEYS[3], ARGV[4])
  redis.call('expire', KEYS[3], ARGV[5])
end
local after = all()
local joined, left = {}, {}
for topic in pairs(after) do
  redis.call('zadd', KEYS[2] .. topic, 0, ARGV[3])
  redis.call('expire', KEYS[2] .. topic, ARGV[5])
  if not before[topic] then table.insert(joined, topic) end
end
for topic in pairs(before) do
  if not after[topic] then
    redis.call('zrem', KEYS[2] .. topic, ARGV[3])
    table.insert(left, topic)
  end
end
return {joined, left}`;

type Member = Pick<Presence, 'tenantId' | 'recipient'>;

/**
 * Recipients by topic, in Redis. One script replaces the topics of a recipient on a node, so each recipient joins a topic once and leaves it
 * once, however many connections on however many nodes it has.
 */
export class TopicMembers {
  /** Connections of this node, set before the first link opens. */
  here: LocalConnections;
  /** Recipients whose topics on this node differ from those in Redis. */
  private readonly changed = new Map<string, Member>();

  constructor(
    private readonly nodeId: string,
    private readonly keptSeconds: number,
    private readonly onMove: (move: TopicMove) => void,
  ) {}

  /** Notes that the topics of a recipient on this node may have changed. The next `flush` writes them. */
  note({ tenantId, recipient }: Member): void {
    this.changed.set(JSON.stringify([tenantId, recipient]), { tenantId, recipient });
  }

  /** Writes the noted topics. The next call retries after a failure. */
  async flush(link: RedisLink): Promise<void> {
    while (this.changed.size > 0) {
      const some = [...this.changed].slice(0, RECIPIENTS_PER_CALL);
      for (const [id] of some) this.changed.delete(id);
      try {
        for (const move of await this.write(link, this.nodeId, some)) this.onMove(move);
      } catch (error) {
        for (const [id, member] of some) this.changed.set(id, member);
        throw error;
      }
    }
  }

  /** Writes all topics of this node again, before they expire or after a data loss of Redis, without reporting who joins. */
  async renewAll(link: RedisLink): Promise<void> {
    const all = this.present();
    for (let from = 0; from < all.length; from += RECIPIENTS_PER_CALL) {
      await this.write(link, this.nodeId, all.slice(from, from + RECIPIENTS_PER_CALL));
    }
  }

  /** Writes all topics of this node again, and reports who joins, if other nodes took this node for dead. */
  async restore(link: RedisLink): Promise<void> {
    if ((await link.run((redis) => redis.getDel(removedOf(this.nodeId)))) === null) return;
    for (const [id, member] of this.present()) this.changed.set(id, member);
    await this.flush(link);
  }

  /** Removes the recipients of a node that stopped responding, and reports who left. Any number of nodes may do so at once. */
  async removeNode(link: RedisLink, nodeId: string): Promise<void> {
    const key = recipientsOn(nodeId);
    for (;;) {
      const ids = await link.run((redis) => redis.sRandMemberCount(key, RECIPIENTS_PER_CALL));
      if (ids.length === 0) return;
      const members = ids.map((id): [string, Member] => {
        const [tenantId, recipient] = JSON.parse(id) as [string, string];
        return [id, { tenantId, recipient }];
      });
      for (const move of await this.write(link, nodeId, members)) this.onMove(move);
    }
  }

  /** Returns the recipients of a topic over all nodes. */
  async read(link: RedisLink, tenantId: string, topic: string, { after, limit }: NamesWanted): Promise<RecipientNames> {
    const key = membersOf(tenantId) + topic;
    const range = { BY: 'LEX', LIMIT: { offset: 0, count: limit } } as const;
    const [count, names] = await link.run((redis) =>
      Promise.all([redis.zCard(key), redis.zRange(key, after === undefined ? '-' : `(${after}`, '+', range)]),
    );
    return { count, names };
  }

  private present(): [string, Member][] {
    const found = new Map<string, Member>();
    for (const presence of this.here.presences()) {
      const { tenantId, recipient } = presence;
      if (presentIn(presence).length > 0) found.set(JSON.stringify([tenantId, recipient]), { tenantId, recipient });
    }
    return [...found];
  }

  private async write(link: RedisLink, nodeId: string, members: [id: string, Member][]): Promise<TopicMove[]> {
    const at = Date.now();
    const moved = await link.run((redis) => Promise.all(members.map(([id, member]) => this.move(redis, nodeId, id, member))));
    return members
      .map(([, member], index) => ({ ...member, joined: moved[index]![0], left: moved[index]![1], at }))
      .filter(({ joined, left }) => joined.length + left.length > 0);
  }

  private move(redis: RedisClient, nodeId: string, id: string, { tenantId, recipient }: Member): Promise<[string[], string[]]> {
    const isOwn = nodeId === this.nodeId;
    const topics = isOwn ? this.here.topicsOf(tenantId, recipient) : [];
    const keys = [topicsAt(tenantId, recipient), membersOf(tenantId), recipientsOn(nodeId)];
    if (!isOwn) keys.push(removedOf(nodeId));
    const rest = [nodeId, JSON.stringify(topics), recipient, id, String(this.keptSeconds)];
    return redis.eval(MOVE, { keys, arguments: rest }) as unknown as Promise<[string[], string[]]>;
  }
}
