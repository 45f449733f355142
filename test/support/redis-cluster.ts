import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { freePort } from './process.js';
import { OwnRedis } from './redis.js';
import { until } from './websockets.js';

const run = promisify(execFile);
const NODES = 6;
const CLUSTER_MODE = ['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf', '--cluster-node-timeout', '2000'];
const COPY = ['--cluster-announce-ip', '127.0.0.1', '--repl-diskless-sync-delay', '0'];

/** A Redis Cluster of its own: three masters, and a replica of each. A stopped node stays down. */
export class OwnRedisCluster {
  private readonly running = new Set<OwnRedis>();

  private constructor() {}

  static async start(): Promise<OwnRedisCluster> {
    const cluster = new OwnRedisCluster();
    for (let node = 0; node < NODES; node++) cluster.running.add(await OwnRedisCluster.node());
    const addresses = [...cluster.running].map(({ port }) => `127.0.0.1:${port}`);
    await run('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes']);
    const isWhole = async (redis: OwnRedis) =>
      (await redis.tells('cluster info', 'cluster_state:ok')) &&
      ((await redis.tells('role', 'master')) || (await redis.tells('info replication', 'master_link_status:up')));
    for (const redis of cluster.running) await until(() => isWhole(redis), 60_000);
    return cluster;
  }

  /** One server in cluster mode, without slots. */
  static async node(...more: string[]): Promise<OwnRedis> {
    return OwnRedis.start(...CLUSTER_MODE, ...COPY, '--cluster-port', String(await freePort()), ...more);
  }

  get url(): string {
    return `redis+cluster://${[...this.running].map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  }

  /** Returns the master of the application's keys, according to the first node. */
  async master(): Promise<OwnRedis> {
    const [asked] = this.running;
    const slot = Number(await this.ask(asked!, 'CLUSTER', 'KEYSLOT', '{platform-services}'));
    const table = await this.ask(asked!, 'CLUSTER', 'NODES');
    const owner = table.split('\n').find((line) => {
      const [, , flags = '', , , , , , ...ranges] = line.split(' ');
      const holds = (range: string) => {
        const [from, to = from] = range.split('-').map(Number);
        return from! <= slot && slot <= to!;
      };
      return flags.includes('master') && !flags.includes('fail') && ranges.some(holds);
    });
    const port = Number(/:(\d+)@/.exec(owner!)![1]);
    return [...this.running].find((redis) => redis.port === port)!;
  }

  /** Returns how many messages of channels the nodes have forwarded to nodes of other shards. */
  async forwardedMessages(): Promise<number> {
    const sent = [...this.running].map(async (redis) => {
      const [, count = '0'] = /cluster_stats_messages_publish_sent:(\d+)/.exec(await this.ask(redis, 'CLUSTER', 'INFO')) ?? [];
      return Number(count);
    });
    return (await Promise.all(sent)).reduce((sum, count) => sum + count, 0);
  }

  /** Kills a node, and waits until the others continue without it. */
  async kill(redis: OwnRedis): Promise<void> {
    this.running.delete(redis);
    await redis.stop();
  }

  /** Moves the slot of the application to another master, key by key, like `redis-cli --cluster reshard`. */
  async moveSlot(): Promise<void> {
    const from = await this.master();
    const slot = await this.ask(from, 'CLUSTER', 'KEYSLOT', '{platform-services}');
    const to = await this.masterBeside(from);
    const [fromId, toId] = [await this.ask(from, 'CLUSTER', 'MYID'), await this.ask(to, 'CLUSTER', 'MYID')];
    await this.ask(to, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId);
    await this.ask(from, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId);
    for (;;) {
      const keys = (await this.ask(from, 'CLUSTER', 'GETKEYSINSLOT', slot, '10')).split('\n').filter(Boolean);
      if (keys.length === 0) break;
      await this.ask(from, 'MIGRATE', '127.0.0.1', String(to.port), '', '0', '5000', 'KEYS', ...keys);
    }
    for (const redis of [to, from]) await this.ask(redis, 'CLUSTER', 'SETSLOT', slot, 'NODE', toId);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.running].map((redis) => redis.stop()));
  }

  private async masterBeside(other: OwnRedis): Promise<OwnRedis> {
    for (const redis of this.running) if (redis !== other && (await redis.tells('role', 'master'))) return redis;
    throw new Error('the cluster has no other master');
  }

  private async ask(redis: OwnRedis, ...command: string[]): Promise<string> {
    return (await run('redis-cli', ['-p', String(redis.port), ...command])).stdout.trim();
  }
}
