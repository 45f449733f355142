import { ALL_SCOPES } from '../../src/common/auth/scopes.js';
import { Api } from './api.js';
import { Deployment, type ServerProcess } from './process.js';
import { OwnRedis } from './redis.js';
import { FaultyProxy } from './s3.js';
import { Push, until } from './websockets.js';

/** Three nodes, whose connections to Redis and to PostgreSQL can be disturbed. */
export class Cluster {
  nodes: Push[] = [];
  readonly servers: ServerProcess[] = [];
  readonly toRedis: FaultyProxy[] = [];
  private key: string;

  private constructor(
    readonly redis: OwnRedis,
    readonly toDatabase: FaultyProxy,
    readonly deployment: Deployment,
  ) {}

  static async start(): Promise<Cluster> {
    const deployment = await Deployment.create();
    const database = new URL(deployment.settings.DATABASE_URL!);
    const toDatabase = await FaultyProxy.to(`http://${database.hostname}:${database.port || 5432}`);
    const cluster = new Cluster(await OwnRedis.start(), toDatabase, deployment);
    cluster.key = await deployment.keys('create', '--tenant', 'shop', '--scope', ALL_SCOPES);
    database.host = new URL(toDatabase.endpoint).host;
    cluster.deployment.settings.DATABASE_URL = database.href;
    for (let node = 0; node < 3; node++) {
      const proxy = await FaultyProxy.to(cluster.redis.url.replace('redis', 'http'));
      cluster.toRedis.push(proxy);
      cluster.servers.push(cluster.startNode(proxy));
    }
    cluster.nodes = await Promise.all(cluster.servers.map((server) => cluster.at(server)));
    return cluster;
  }

  startNode(proxy: FaultyProxy): ServerProcess {
    return this.deployment.start({ PORT: '0', REDIS_URL: proxy.endpoint.replace('http', 'redis') });
  }

  async at(server: ServerProcess): Promise<Push> {
    const push = new Push(new Api(await server.ready(), 'websockets-manager', this.key));
    await this.readiness(push, 200);
    return push;
  }

  /** Waits until a node reports the service as ready, or as not ready. */
  async readiness(node: Push, status: number): Promise<void> {
    await until(async () => (await fetch(`${node.api.address}/health/ready/websockets-manager`)).status === status, 60_000);
  }

  /** Checks that a node reports only WebSockets as unavailable. */
  async doesAllElse(node: Push): Promise<void> {
    const response = await fetch(`${node.api.address}/health/ready`);
    const others = { 'file-management': 'ok', 'document-rendering': 'ok', 'document-log': 'ok', email: 'ok' };
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { status: 'degraded', checks: { bus: 'unavailable' }, services: { ...others, 'websockets-manager': 'unavailable' } },
    ]);
    const services = Object.keys(others).map((service) => fetch(`${node.api.address}/health/ready/${service}`));
    expect((await Promise.all(services)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  }

  /** Ages messages, as if time had passed. */
  async age(id: string, seconds: number): Promise<void> {
    const time = (Date.now() - seconds * 1_000).toString(16).padStart(12, '0');
    const older = `${time.slice(0, 8)}-${time.slice(8)}${id.slice(13)}`;
    await this.deployment.query(
      'only time makes a message old',
      `UPDATE "Message" SET "pushId" = '${older}' WHERE "pushId" = '${id}'`,
    );
  }

  async stop(): Promise<void> {
    await this.deployment.remove();
    await this.redis.stop();
    await Promise.all([this.toDatabase, ...this.toRedis].map((proxy) => proxy.close()));
  }
}
