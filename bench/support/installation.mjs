// Installation of its own for measurements: PostgreSQL, Redis and nodes, so that the processor time of each is that of the bench alone.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findProgram } from '../../test/nodes/programs.mjs';
import { freePort } from '../../test/nodes/free-port.mjs';
import { endOwn, spawnOwn } from '../../test/nodes/own-process.mjs';
import { hasPostgresPrograms, PostgresServer } from '../../test/nodes/postgres-server.mjs';
import { canMeasure, cpuSecondsOfAllEver } from './process-usage.mjs';
import { createKey, folder, start } from './servers.mjs';

const SETTLED_SECONDS = 0.02;
const SETTLE_STEP_MS = 500;
const MOST_SETTLE_STEPS = 40;

/** First need of an installation that this machine lacks, or undefined. */
export const missing = [
  [canMeasure, 'processor time in /proc'],
  [hasPostgresPrograms, 'the programs of PostgreSQL'],
  [findProgram('redis-server'), 'redis-server'],
].find(([isThere]) => !isThere)?.[1];

export class Installation {
  nodes = [];
  #redis;

  /** Starts PostgreSQL and Redis. `settings` are added to those of each node. */
  static async start(settings = {}) {
    const installation = new Installation();
    installation.postgres = await PostgresServer.start();
    const port = await freePort();
    installation.#redis = spawnOwn('redis-server', ['--port', String(port), '--save', '', '--appendonly', 'no'], {
      cwd: folder,
      stdio: 'ignore',
    });
    const store = join(folder, 'ours'); // nodes of one machine may share it
    const [DATABASE_URL, REDIS_URL] = [installation.postgres.urlOf('postgres'), `redis://127.0.0.1:${port}`];
    installation.settings = { DATABASE_URL, REDIS_URL, DATA_DIR: store, ...settings };
    return installation;
  }

  /** Starts a node. The first one also creates the key. */
  async addNode() {
    const node = await start('dist/bundle/main.js', this.settings);
    this.key ??= createKey(this.settings);
    this.nodes.push(node);
    return node;
  }

  get pids() {
    return { postgres: postmasterOf(this.postgres), redis: this.#redis.pid };
  }

  /** Returns the processor seconds of all nodes, of PostgreSQL with its backends and helpers, and of Redis. */
  usage() {
    const { postgres, redis } = this.pids;
    const node = this.nodes.reduce((sum, { pid }) => sum + cpuSecondsOfAllEver(pid), 0);
    return { node, postgres: cpuSecondsOfAllEver(postgres), redis: cpuSecondsOfAllEver(redis) };
  }

  /** Waits until deferred work is done, for at most 20 s. */
  async settle() {
    const sum = () => Object.values(this.usage()).reduce((all, one) => all + one, 0);
    for (let step = 0, last = sum(), still = 0; step < MOST_SETTLE_STEPS && still < 2; step++) {
      await delay(SETTLE_STEP_MS);
      const now = sum();
      still = now - last <= SETTLED_SECONDS ? still + 1 : 0;
      last = now;
    }
  }

  /** Returns the microseconds of each that a run took, deferred work included, divided by the count to which it resolves. */
  async costOf(run) {
    await this.settle();
    const before = this.usage();
    const count = await run();
    await this.settle();
    const after = this.usage();
    return Object.fromEntries(Object.keys(after).map((name) => [name, ((after[name] - before[name]) * 1e6) / count]));
  }

  async stop() {
    await Promise.all(this.nodes.map((node) => node.stop()));
    await this.postgres.remove();
    await endOwn(this.#redis, 'SIGKILL');
  }
}

export function postmasterOf({ data }) {
  return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
}
