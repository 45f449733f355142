import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresServer } from '../nodes/postgres-server.mjs';
import { openPostgres } from './behind-the-api.js';
import { MixedLoad } from './mixed-load.js';
import { Deployment, type ServerProcess } from './process.js';
import { FaultyProxy } from './s3.js';
import { until } from './websockets.js';

/** Selects backends inside a transaction that changed something. */
const TERMINATE = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_xid IS NOT NULL`;
const TERMINATE_EVERY_MS = 5;

/** A node under load on all five services, with a PostgreSQL of its own that can fail, behind a proxy that can too. */
export class FaultyPostgres {
  private server: ServerProcess;
  private address: string;

  private constructor(
    readonly load: MixedLoad,
    readonly proxy: FaultyProxy,
    readonly postgres: PostgresServer,
    private readonly deployment: Deployment,
  ) {}

  static async start(): Promise<FaultyPostgres> {
    const [postgres, load] = await Promise.all([PostgresServer.start(), MixedLoad.create()]);
    const proxy = await FaultyProxy.to(`http://127.0.0.1:${postgres.port}`);
    const DATABASE_URL = `postgresql://test@${new URL(proxy.endpoint).host}/postgres`;
    const deployment = await Deployment.create({ PORT: '0', ...load.settings, DATABASE_URL });
    const node = new FaultyPostgres(load, proxy, postgres, deployment);
    try {
      await node.serve();
      await load.start(node.address, await node.server.until(/psk_\w+(?=\n)/));
      return node;
    } catch (error) {
      await node.remove();
      throw error;
    }
  }

  async ready(): Promise<number> {
    return (await fetch(`${this.address}/health/ready`)).status;
  }

  becomes(status: number): Promise<unknown> {
    return until(async () => (await this.ready()) === status, 60_000);
  }

  /** Terminates backends between the first change of a transaction and its commit, until enough were terminated. */
  async terminate(isEnough: (terminated: number) => boolean): Promise<void> {
    const session = await openPostgres('no API terminates a backend', this.postgres.urlOf('postgres'));
    for (let terminated = 0; !isEnough(terminated); await sleep(TERMINATE_EVERY_MS)) {
      terminated += (await session.query(TERMINATE)).rowCount!;
    }
    await session.end();
  }

  kill(): Promise<unknown> {
    return this.server.stop('SIGKILL');
  }

  /** Starts another node on the same data, and compares answers with stored data. */
  async expectAllStored(): Promise<void> {
    await this.serve();
    this.load.lead(this.address);
    await this.load.progress(1);
    await this.load.expectAllStored();
    expect(this.load.failures.filter(({ reason }) => reason.includes('INTERNAL_SERVER_ERROR'))).toEqual([]);
  }

  async remove(): Promise<void> {
    await this.load.remove();
    await this.deployment.remove();
    await this.proxy.close();
    await this.postgres.remove();
  }

  private async serve(): Promise<void> {
    Object.assign(this, await this.deployment.serve());
  }
}
