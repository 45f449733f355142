import type { NamesWanted, Presence, PresenceListener, RecipientNames } from './bus.js';
import type { RedisLink } from './redis-link.js';
import type { RedisClient } from './redis-target.js';

const KEY = 'platform-services:online';
const allOf = (tenantId: string): string => `${KEY}:${tenantId}`;
const ofNode = (tenantId: string, nodeId: string): string => `${KEY}:${tenantId}:${nodeId}`;
const lostOf = (tenantId: string): string => `platform-services:lost:${tenantId}`;
/** Names of a dead node removed per script, which blocks Redis. */
const NAMES_PER_SCRIPT = '1000';
/** Grace period for a node with an expired lease before its recipients count as offline. */
const LATE_MS = 10_000;

/** KEYS[1]: nodes of a tenant. KEYS[2]: recipients of the tenant; with `:` and a node id appended, recipients on that node. */
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
 * Returns the number of all names, and up to ARGV[2] names from ARGV[1] on. KEYS[3] with a node id appended is the lease of that node. If a
 * lease has expired, removes the first ARGV[3] names of its node instead and returns nothing. A late node registers again. If ARGV[4] is a
 * number of seconds, stores lost names with their time in KEYS[4] for that long.
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
 * Adds names to the recipients KEYS[1]. ARGV lists each name with 1 for a new connection or 0 for a renewed one. Returns the names that
 * came online: absent ones with a new connection, and those reported offline by TAKE_LOST. Recipients of a late node, or after a data loss
 * of Redis, are thus not reported online.
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
 * Returns up to ARGV[2] names that READ removed at least ARGV[1] seconds ago and that have not come back. Marks them as reported, by a
 * negative time, for ARGV[3] seconds. Also returns whether the limit was reached.
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

/** Tenant with the key of its set of nodes. */
interface TenantNodes {
  tenantId: string;
  nodes: string;
}

/**
 * Index of connected recipients by name, in Redis: per tenant a sorted set for each node, and their union. The cost of a page and of the
 * count is independent of the number of recipients. The first read after a lease expires removes the names of the crashed node.
 */
export class RecipientIndex {
  constructor(
    private readonly nodeId: string,
    private readonly leases: string,
    private readonly keptSeconds: number,
    private readonly presenceListener: () => PresenceListener,
  ) {}

  /**
   * Adds recipients. The caller must first add this node to the nodes of the tenant. The set of a node expires after the union, so that its
   * names can still be removed from the union.
   */
  add(redis: RedisClient, presences: Presence[], isNew: (presence: Presence) => boolean): Promise<unknown>[] {
    return [...new Set(presences.map(({ tenantId }) => tenantId))].flatMap((tenantId) => {
      const own = presences.filter((presence) => presence.tenantId === tenantId);
      const members = own.map(({ recipient }) => ({ score: 0, value: recipient }));
      const [there, all] = [ofNode(tenantId, this.nodeId), allOf(tenantId)];
      return [
        redis.zAdd(there, members),
        redis.expire(there, 2 * this.keptSeconds),
        this.presenceListener().wants(tenantId) ? this.addAndTell(redis, tenantId, own, isNew) : redis.zAdd(all, members),
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
    if (online.length > 0) this.presenceListener().cameOnline(tenantId, online);
  }

  /** Removes recipients without a connection to this node. */
  remove(redis: RedisClient, presences: Presence[], nodesOf: (tenantId: string) => string): Promise<unknown>[] {
    const gone = new Map(presences.map((one) => [`${one.tenantId} ${one.recipient}`, one]));
    return [...gone.values()].map(async ({ tenantId, recipient }) => {
      const options = { keys: [nodesOf(tenantId), allOf(tenantId)], arguments: [this.nodeId, recipient] };
      const isLast = (await redis.eval(REMOVE, options)) === 1;
      if (isLast && this.presenceListener().wants(tenantId)) this.presenceListener().wentOffline(tenantId, [recipient]);
    });
  }

  async read(link: RedisLink, { tenantId, nodes }: TenantNodes, { after, limit }: NamesWanted): Promise<RecipientNames> {
    const from = after === undefined ? '-' : `(${after}`;
    const keptSeconds = this.presenceListener().wants(tenantId) ? String(this.keptSeconds) : '';
    const options = {
      keys: [nodes, allOf(tenantId), this.leases, lostOf(tenantId)],
      arguments: [from, String(limit), NAMES_PER_SCRIPT, keptSeconds],
    };
    for (;;) {
      const answer = (await link.run((redis) => redis.eval(READ, options))) as [number, string[]] | null;
      if (answer) return { count: answer[0], names: answer[1] };
    }
  }

  /** Returns, once each, names that were removed with their node and have not come back. */
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
