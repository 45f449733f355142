import type { NamesWanted, Presence, RecipientNames } from './bus.js';
import type { RedisClient } from './redis-link.js';

const KEY = 'platform-services:online';
const allOf = (tenantId: string): string => `${KEY}:${tenantId}`;
const ofNode = (tenantId: string, nodeId: string): string => `${KEY}:${tenantId}:${nodeId}`;

/**
 * Takes nodes whose lease ended out of KEYS[1], the nodes of a tenant. If there were any, KEYS[2], its recipients, becomes the
 * union of what the others have. ARGV: the prefix of leases, seconds to keep. A node that was only late registers anew.
 */
const FORGET_DEAD_NODES = `
local alive, dead, left = {}, {}, {}
for _, id in ipairs(redis.call('smembers', KEYS[1])) do
  if redis.call('exists', ARGV[1] .. id) == 1 then
    alive[#alive + 1] = KEYS[2] .. ':' .. id
  else
    dead[#dead + 1] = id
    left[#left + 1] = KEYS[2] .. ':' .. id
  end
end
if #dead > 0 then
  redis.call('srem', KEYS[1], unpack(dead))
  redis.call('del', KEYS[2], unpack(left))
  if #alive > 0 then
    redis.call('zunionstore', KEYS[2], #alive, unpack(alive))
    redis.call('expire', KEYS[2], ARGV[2])
  end
end`;

/** ARGV[3] is where the names begin, ARGV[4] how many are wanted. */
const READ_NAMES = `${FORGET_DEAD_NODES}
return {redis.call('zcard', KEYS[2]), redis.call('zrangebylex', KEYS[2], ARGV[3], '+', 'limit', 0, ARGV[4])}`;

/** Takes ARGV[2], a recipient, from node ARGV[1], and from KEYS[2] where no other node of KEYS[1] has it. */
const REMOVE_NAME = `
redis.call('zrem', KEYS[2] .. ':' .. ARGV[1], ARGV[2])
for _, id in ipairs(redis.call('smembers', KEYS[1])) do
  if redis.call('zscore', KEYS[2] .. ':' .. id, ARGV[2]) then return end
end
redis.call('zrem', KEYS[2], ARGV[2])`;

/** A tenant, and the key of the set of its nodes. */
interface TenantNodes {
  tenantId: string;
  nodes: string;
}

/**
 * Who is online, in the order of names, in Redis: for each tenant a sorted set of the recipients of every node, and one that
 * is the union of these. So a page and the count cost the same however many there are, and what a node leaves that crashed
 * goes with its lease, at the next look.
 */
export class RecipientIndex {
  /** How many connections of this node each recipient has. */
  private readonly here = new Map<string, number>();

  constructor(
    private readonly nodeId: string,
    private readonly leases: string,
    private readonly keptSeconds: number,
  ) {}

  count(presence: Presence): void {
    const name = nameOf(presence);
    this.here.set(name, (this.here.get(name) ?? 0) + 1);
  }

  discount(presence: Presence): void {
    const name = nameOf(presence);
    const count = this.here.get(name)! - 1;
    if (count > 0) this.here.set(name, count);
    else this.here.delete(name);
  }

  /** To be called after this node is among the nodes of the tenant, or a look in between would leave its recipients out. */
  add(redis: RedisClient, presences: Presence[]): Promise<unknown>[] {
    return [...new Set(presences.map(({ tenantId }) => tenantId))].flatMap((tenantId) => {
      const own = presences.filter((presence) => presence.tenantId === tenantId);
      const members = own.map(({ recipient }) => ({ score: 0, value: recipient }));
      return [ofNode(tenantId, this.nodeId), allOf(tenantId)].flatMap((key) => [
        redis.zAdd(key, members),
        redis.expire(key, this.keptSeconds),
      ]);
    });
  }

  /** Of connections that ended: those recipients who have no other here. */
  remove(redis: RedisClient, presences: Presence[], nodesOf: (tenantId: string) => string): Promise<unknown>[] {
    const gone = new Map(presences.filter((one) => !this.here.has(nameOf(one))).map((one) => [nameOf(one), one]));
    return [...gone.values()].map(({ tenantId, recipient }) =>
      redis.eval(REMOVE_NAME, { keys: [nodesOf(tenantId), allOf(tenantId)], arguments: [this.nodeId, recipient] }),
    );
  }

  async read(redis: RedisClient, { tenantId, nodes }: TenantNodes, { after, limit }: NamesWanted): Promise<RecipientNames> {
    const from = after === undefined ? '-' : `(${after}`;
    const wanted = [this.leases, String(this.keptSeconds), from, String(limit)];
    const answer = await redis.eval(READ_NAMES, { keys: [nodes, allOf(tenantId)], arguments: wanted });
    const [count, names] = answer as [number, string[]];
    return { count, names };
  }

  forgetDeadNodes(redis: RedisClient, { tenantId, nodes }: TenantNodes): Promise<unknown> {
    const wanted = [this.leases, String(this.keptSeconds)];
    return redis.eval(FORGET_DEAD_NODES, { keys: [nodes, allOf(tenantId)], arguments: wanted });
  }
}

const nameOf = ({ tenantId, recipient }: Presence): string => `${tenantId} ${recipient}`;
