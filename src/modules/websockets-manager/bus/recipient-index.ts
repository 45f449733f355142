import type { NamesWanted, Presence, PresenceListener, RecipientNames } from './bus.js';
import type { RedisLink } from './redis-link.js';
import type { RedisClient } from './redis-target.js';

const KEY = 'platform-services:online';
const allOf = (tenantId: string): string => `${KEY}:${tenantId}`;
const ofNode = (tenantId: string, nodeId: string): string => `${KEY}:${tenantId}:${nodeId}`;
const lostOf = (tenantId: string): string => `platform-services:lost:${tenantId}`;
/** How many names of a dead node one script removes. Redis runs no other commands during a script. */
const NAMES_PER_SCRIPT = '1000';
/** How long a node whose lease has ended may take to come back before its recipients are offline. */
const LATE_MS = 10_000;

/**
 * KEYS[1]: the nodes of a tenant. KEYS[2]: the recipients of the tenant; with `:` and the id of a node appended, the recipients
 * on that node.
 */
const REMOVE_UNLESS_ELSEWHERE = `
local function removeUnlessElsewhere(nodes, name)
  for _, id in ipairs(nodes) do
    if redis.call('zscore', KEYS[2] .. ':' .. id, name) then return 0 end
  end
  return redis.call('zrem', KEYS[2], name)
end`;

/** Removes recipient ARGV[2] from node ARGV[1]. Returns 1 if the recipient was there and is on no other node. */
const REMOVE = `${REMOVE_UNLESS_ELSEWHERE}
redis.call('zrem', KEYS[2] .. ':' .. ARGV[1], ARGV[2])
return removeUnlessElsewhere(redis.call('smembers', KEYS[1]), ARGV[2])`;

/**
 * Returns the number of all names, and up to ARGV[2] names from ARGV[1] on. KEYS[3] with the id of a node appended is the lease
 * of this node. If the lease of a node has ended, the script removes the first ARGV[3] of its names instead and returns nothing.
 * A node that was only late registers again. If ARGV[4] is a number of seconds, KEYS[4] keeps for them which names were lost, and
 * when.
 */
const READ = `${REMOVE_UNLESS_ELSEWHERE}
local function note(name)
  redis.call('zadd', KEYS[4], redis.call('time')[1], name)
  redis.call('expire', KEYS[4], ARGV[4])
end
local nodes = redis.call('smembers', KEYS[1])
for _, id in ipairs(nodes) do
  if redis.call('exists', KEYS[3] .. id) == 0 then
    local names = redis.call('zpopmin', KEYS[2] .. ':' .. id, ARGV[3])
    for at = 1, #names, 2 do
      if removeUnlessElsewhere(nodes, names[at]) == 1 and ARGV[4] ~= '' then note(names[at]) end
    end
    if #names == 0 then redis.call('srem', KEYS[1], id) end
    return false
  end
end
return {redis.call('zcard', KEYS[2]), redis.call('zrangebylex', KEYS[2], ARGV[1], '+', 'limit', 0, ARGV[2])}`;

/**
 * Adds to the recipients KEYS[1] the names that ARGV has, each followed by 1 if its connections are new, and by 0 if they are only
 * registered again. Returns which came online: new ones that were not there, and others of which TAKE_LOST has told that they are
 * offline. So nobody comes online because Redis lost its data, or because a node was late.
 */
const ADD = `
local online = {}
for at = 1, #ARGV, 2 do
  local name = ARGV[at]
  local isFirst = redis.call('zadd', KEYS[1], 0, name) == 1
  local lostAt = redis.call('zscore', KEYS[2], name)
  if lostAt then redis.call('zrem', KEYS[2], name) end
  local isOffline = lostAt and tonumber(lostAt) < 0 or not lostAt and ARGV[at + 1] == '1'
  if isFirst and isOffline then table.insert(online, name) end
end
return online`;

/**
 * Returns up to ARGV[2] names that READ removed ARGV[1] seconds ago and that are not back, and keeps for ARGV[3] seconds that it
 * told of them: they have a time below 0 from then on. Also returns whether it looked at as many as it may.
 */
const TAKE_LOST = `
local now = tonumber(redis.call('time')[1])
redis.call('zremrangebyscore', KEYS[2], -(now - ARGV[3]), -1)
local names = redis.call('zrangebyscore', KEYS[2], 0, now - ARGV[1], 'limit', 0, ARGV[2])
local offline = {}
for _, name in ipairs(names) do
  if redis.call('zscore', KEYS[1], name) then redis.call('zrem', KEYS[2], name)
  else
    redis.call('zadd', KEYS[2], -now, name)
    table.insert(offline, name)
  end
end
return {#names == tonumber(ARGV[2]) and 1 or 0, offline}`;

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
    private readonly comings: () => PresenceListener,
  ) {}

  /**
   * Adds recipients. The caller must have added this node to the nodes of the tenant before. The set of a node expires later than
   * the union, so that names can still be removed from the union.
   * @param isNew whether a connection was not registered before
   */
  add(redis: RedisClient, presences: Presence[], isNew: (presence: Presence) => boolean): Promise<unknown>[] {
    return [...new Set(presences.map(({ tenantId }) => tenantId))].flatMap((tenantId) => {
      const own = presences.filter((presence) => presence.tenantId === tenantId);
      const members = own.map(({ recipient }) => ({ score: 0, value: recipient }));
      const [there, all] = [ofNode(tenantId, this.nodeId), allOf(tenantId)];
      return [
        redis.zAdd(there, members),
        redis.expire(there, 2 * this.keptSeconds),
        this.comings().wants(tenantId) ? this.addAndTell(redis, tenantId, own, isNew) : redis.zAdd(all, members),
        redis.expire(all, this.keptSeconds),
      ];
    });
  }

  private async addAndTell(
    redis: RedisClient,
    tenantId: string,
    presences: Presence[],
    isNew: (presence: Presence) => boolean,
  ): Promise<void> {
    const known = new Set(presences.filter((presence) => !isNew(presence)).map(({ recipient }) => recipient));
    const names = new Set(presences.map(({ recipient }) => recipient));
    const list = [...names].flatMap((name) => [name, known.has(name) ? '0' : '1']);
    const keys = [allOf(tenantId), lostOf(tenantId)];
    const online = (await redis.eval(ADD, { keys, arguments: list })) as string[];
    if (online.length > 0) this.comings().cameOnline(tenantId, online);
  }

  /** Removes recipients that have no connection to this node left. */
  remove(redis: RedisClient, presences: Presence[], nodesOf: (tenantId: string) => string): Promise<unknown>[] {
    const gone = new Map(presences.map((one) => [`${one.tenantId} ${one.recipient}`, one]));
    return [...gone.values()].map(async ({ tenantId, recipient }) => {
      const options = { keys: [nodesOf(tenantId), allOf(tenantId)], arguments: [this.nodeId, recipient] };
      const isLast = (await redis.eval(REMOVE, options)) === 1;
      if (isLast && this.comings().wants(tenantId)) this.comings().wentOffline(tenantId, [recipient]);
    });
  }

  async read(link: RedisLink, { tenantId, nodes }: TenantNodes, { after, limit }: NamesWanted): Promise<RecipientNames> {
    const from = after === undefined ? '-' : `(${after}`;
    const keptSeconds = this.comings().wants(tenantId) ? String(this.keptSeconds) : '';
    const options = {
      keys: [nodes, allOf(tenantId), this.leases, lostOf(tenantId)],
      arguments: [from, String(limit), NAMES_PER_SCRIPT, keptSeconds],
    };
    for (;;) {
      const answer = (await link.run((redis) => redis.eval(READ, options))) as [number, string[]] | null;
      if (answer) return { count: answer[0], names: answer[1] };
    }
  }

  /** Returns names that were removed with their nodes and are not back, each once. */
  async takeLost(link: RedisLink, tenantId: string): Promise<string[]> {
    const keys = [allOf(tenantId), lostOf(tenantId)];
    const options = { keys, arguments: [String(LATE_MS / 1_000), NAMES_PER_SCRIPT, String(this.keptSeconds)] };
    const names: string[] = [];
    for (;;) {
      const [more, some] = (await link.run((redis) => redis.eval(TAKE_LOST, options))) as [number, string[]];
      names.push(...some);
      if (more === 0) return names;
    }
  }
}
