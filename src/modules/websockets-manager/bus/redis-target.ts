import { createClient, ErrorReply } from '@redis/client';
import { inTime } from '../../../common/base/in-time.js';
import type { RedisSettings } from '../../../common/config/settings/redis-settings.js';
import { certificateFault } from '../../../common/base/certificate-faults.js';
import { BusDown } from './bus.js';

const CONNECT_MS = 2_000;
/** Timeout of a Redis command. */
export const COMMAND_MS = 2_000;
const REDIS = { name: 'Redis', setting: 'REDIS_URL', remedy: 'name it in REDIS_CA_FILE' };
/**
 * Prefix of all keys and channels in a cluster. Its hash tag places all of them in one slot, on one master. A slot per tenant would split scripts that read
 * leases beside tenant keys into two steps, between which a lease can change. A single Redis uses no prefix, for compatibility with older
 * nodes.
 */
export const SLOT_TAG = '{platform-services}';

export const isCluster = (settings: RedisSettings): boolean => 'seeds' in settings;

export type RedisClient = ReturnType<typeof newClient>;

/** Redis server used by the bus. */
export type Target = { url: string } | { host: string; port: number; username?: string; password?: string };

export function newClient(target: Target, settings: RedisSettings) {
  const { isSecure, trusted } = settings;
  const protection = isSecure && { tls: true as const, ca: trusted };
  const socket = { connectTimeout: CONNECT_MS, reconnectStrategy: false as const, ...protection };
  const shared = { RESP: 2 as const, disableOfflineQueue: true, keyPrefix: isCluster(settings) ? SLOT_TAG : undefined };
  if ('url' in target) return createClient({ ...shared, url: target.url, socket });
  const { host, port, username, password } = target;
  return createClient({ ...shared, username, password, socket: { ...socket, host, port } });
}

/** Finds the current master. @throws BusDown if no Sentinel or cluster node names one */
export async function targetOf(settings: RedisSettings): Promise<Target> {
  if ('sentinels' in settings) return masterOfGroup(settings);
  if ('seeds' in settings) return masterOfSlot(settings);
  return { url: settings.url };
}

/** Returns an explanation for faults that an operator can fix, and `otherwise` for all others. */
export function reasonOf(error: unknown, settings: RedisSettings, otherwise: string): string {
  const { code, message = '' } = (error ?? {}) as NodeJS.ErrnoException;
  if (/^(WRONGPASS|NOAUTH|ERR AUTH)/.test(message)) return 'Redis rejects the user or the password of REDIS_URL; correct them';
  if (message.includes('cluster support disabled')) {
    return 'REDIS_URL names a Redis without cluster mode: it must begin with redis:// or rediss://';
  }
  if (message.startsWith('MOVED') && !isCluster(settings)) {
    return 'REDIS_URL names a node of a Redis Cluster: it must begin with redis+cluster:// or rediss+cluster://';
  }
  if (message.startsWith('READONLY')) return 'REDIS_URL points to a read-only replica: name the master';
  if (error instanceof ErrorReply) return `Redis rejects a command: ${message}`;
  return certificateFault(code, REDIS) ?? otherwise;
}

function masterOfGroup(settings: Extract<RedisSettings, { group: string }>): Promise<Target> {
  const { sentinels, group, username, password } = settings;
  return firstAnswer(settings, sentinels.map(addressOf), 'No Sentinel names a master', async (client) => {
    const [host, port] = await client.sendCommand<[string, string]>(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', group]);
    return { host, port: Number(port), username, password };
  });
}

type SlotRange = [from: number, to: number, master: [host: string | null, port: number]];

/** Tries the seeds in random order: a partitioned seed may name a replaced master. */
function masterOfSlot(settings: Extract<RedisSettings, { seeds: string[] }>): Promise<Target> {
  const { seeds, username, password } = settings;
  const first = Math.floor(Math.random() * seeds.length);
  const targets = [...seeds.slice(first), ...seeds.slice(0, first)].map((seed) => ({ ...addressOf(seed), username, password }));
  return firstAnswer(settings, targets, 'No node of the Redis Cluster names a master', async (client, seed) => {
    const slot = await client.sendCommand<number>(['CLUSTER', 'KEYSLOT', SLOT_TAG]);
    const ranges = await client.sendCommand<SlotRange[]>(['CLUSTER', 'SLOTS']);
    const range = ranges.find(([from, to]) => from <= slot && slot <= to);
    if (!range) throw new Error(`no node of the Redis Cluster has slot ${slot}`);
    const [host, port] = range[2];
    return { host: host || seed.host, port, username, password }; // an empty host means the queried server
  });
}

type Address = Extract<Target, { host: string }>;

function addressOf(text: string): Address {
  const [host = '', port] = text.split(':');
  return { host, port: Number(port) };
}

/** Queries the servers in order until one responds. */
async function firstAnswer(
  settings: RedisSettings,
  targets: Address[],
  otherwise: string,
  question: (client: RedisClient, target: Address) => Promise<Target>,
): Promise<Target> {
  let last: unknown;
  for (const target of targets) {
    const client = newClient(target, settings);
    client.on('error', (error) => (last = error));
    try {
      return await inTime(
        client.connect().then(() => question(client, target)),
        COMMAND_MS,
        'no response',
      );
    } catch (error) {
      last = error;
    } finally {
      if (client.isOpen) client.destroy();
    }
  }
  throw new BusDown(reasonOf(last, settings, otherwise), { cause: last });
}
