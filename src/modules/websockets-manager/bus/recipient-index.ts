import type { NamesWanted, Presence, RecipientNames } from './bus.js';
import type { RedisLink } from './redis-link.js';
import type { RedisClient } from './redis-target.js';

const KEY = 'platform-services:online';
const allOf = (tenantId: string): string => `${KEY}:${tenantId}`;
const ofNode = (tenantId: string, nodeId: string): string => `${KEY}:${tenantId}:${nodeId}`;
/** How many names of a dead node one script removes. Redis runs no other commands during a script. */
const NAMES_PER_SCRIPT = '1000';

/**
 * KEYS[1]: the nodes of a tenant. KEYS[2]: the recipients of the tenant; with `:` and the id of a node appended, the recipients
 * on that node.
 */
const REMOVE_UNLESS_ELSEWHERE = `
local function removeUnlessElsewhere(nodes, name)
  for _, id in ipairs(nodes) do
    if redis.call('zscore', KEYS[2] .. ':' .. id, name) then return end
  end
  redis.call('zrem', KEYS[2], name)
end`;

/** Removes recipient ARGV[2] from node ARGV[1]. */
const REMOVE = `${REMOVE_UNLESS_ELSEWHERE}
redis.call('zrem', KEYS[2] .. ':' .. ARGV[1], ARGV[2])
removeUnlessElsewhere(redis.call('smembers', KEYS[1]), ARGV[2])`;

/**
 * Returns the number of all names, and up to ARGV[2] names from ARGV[1] on. KEYS[3] with the id of a node appended is the lease
 * of this node. If the lease of a node has ended, the script removes the first ARGV[3] of its names instead and returns nothing.
 * A node that was only late registers again.
 */
const READ = `${REMOVE_UNLESS_ELSEWHERE}
local nodes = redis.call('smembers', KEYS[1])
for _, id in ipairs(nodes) do
  if redis.call('exists', KEYS[3] .. id) == 0 then
    local names = redis.call('zpopmin', KEYS[2] .. ':' .. id, ARGV[3])
    for at = 1, #names, 2 do removeUnlessElsewhere(nodes, names[at]) end
    if #names == 0 then redis.call('srem', KEYS[1], id) end
    return false
  end
end
return {redis.call('zcard', KEYS[2]), redis.call('zrangebylex', KEYS[2], ARGV[1], '+', 'limit', 0, ARGV[2])}`;

/** A tenant and the key of the set of its nodes. */
interface TenantNodes {
  tenantId: string;
  nodes: string;
}

/**
 * Keeps the connected recipients in the order of their names, in Redis: for each tenant a sorted set per node, and the union of
 * these sets. So the cost of a page and of the count does not grow with the number of recipients. The names of a crashed node are
 * removed by the first read after its lease has ended.
 */
export class RecipientIndex {
  constructor(
    private readonly nodeId: string,
    private readonly leases: string,
    private readonly keptSeconds: number,
  ) {}

  /**
   * Adds recipients. The caller must have added this node to the nodes of the tenant before. The set of a node expires later than
   * the union, so that names can still be removed from the union.
   */
  add(redis: RedisClient, presences: Presence[]): Promise<unknown>[] {
    return [...new Set(presences.map(({ tenantId }) => tenantId))].flatMap((tenantId) => {
      const own = presences.filter((presence) => presence.tenantId === tenantId);
      const members = own.map(({ recipient }) => ({ score: 0, value: recipient }));
      const [there, all] = [ofNode(tenantId, this.nodeId), allOf(tenantId)];
      return [
        redis.zAdd(there, members),
        redis.expire(there, 2 * this.keptSeconds),
        redis.zAdd(all, members),
        redis.expire(all, this.keptSeconds),
      ];
    });
  }

  /** Removes recipients that have no connection to this node left. */
  remove(redis: RedisClient, presences: Presence[], nodesOf: (tenantId: string) => string): Promise<unknown>[] {
    const gone = new Map(presences.map((one) => [`${one.tenantId} ${one.recipient}`, one]));
    return [...gone.values()].map(({ tenantId, recipient }) =>
      redis.eval(REMOVE, { keys: [nodesOf(tenantId), allOf(tenantId)], arguments: [this.nodeId, recipient] }),
    );
  }

  async read(link: RedisLink, { tenantId, nodes }: TenantNodes, { after, limit }: NamesWanted): Promise<RecipientNames> {
    const from = after === undefined ? '-' : `(${after}`;
    const options = { keys: [nodes, allOf(tenantId), this.leases], arguments: [from, String(limit), NAMES_PER_SCRIPT] };
    for (;;) {
      const answer = (await link.run((redis) => redis.eval(READ, options))) as [number, string[]] | null;
      if (answer) return { count: answer[0], names: answer[1] };
    }
  }
}
