import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MixedLoad } from './mixed-load.js';
import { Deployment, type ServerProcess } from './process.js';
import { until } from './websockets.js';

const STALLER = fileURLToPath(new URL('stall-at.mjs', import.meta.url));

/** A step of the SQLite thread: see stall-at.mjs. */
export type Moment = `${'rollback' | (typeof KINDS)[number]} ${'before' | 'after'}`;

const KINDS = ['begin', 'commit', 'inside', 'read', 'write'] as const;
/** Steps that are frequent under load. */
export const MOMENTS = KINDS.flatMap((kind): Moment[] => [`${kind} before`, `${kind} after`]);

/** Longer than the 10 s after which callers are refused. */
const SILENT_MS = 12_000;

/** Checks that a server is not ready while its thread stands still, and continues afterwards. */
export async function expectSilence(stalled: StalledServer, moment: Moment): Promise<void> {
  expect(await stalled.stall(moment, SILENT_MS)).toContain(503);
  await stalled.load.progress(3);
  expect(await stalled.ready()).toBe(200);
}

/** A server under load on all five services, whose database thread can be stalled. */
export class StalledServer {
  private server: ServerProcess;
  private address: string;
  private readonly plan: string;

  private constructor(
    readonly load: MixedLoad,
    private readonly deployment: Deployment,
  ) {
    this.plan = join(deployment.dataDir, 'stall-plan');
  }

  static async start(): Promise<StalledServer> {
    const load = await MixedLoad.create();
    const stalled = new StalledServer(load, await Deployment.create({ PORT: '0', ...load.settings }));
    try {
      await stalled.serve({ STALL_PLAN: stalled.plan, NODE_OPTIONS: `--import ${STALLER}` });
      await load.start(stalled.address, await stalled.server.until(/psk_\w+(?=\n)/));
      await load.progress(1);
      return stalled;
    } catch (error) {
      await stalled.remove();
      throw error;
    }
  }

  /** Stalls the thread at the next such step. Resolves once it has stalled. */
  async stop(moment: Moment, ms: number): Promise<void> {
    writeFileSync(this.plan, `${moment} ${ms}`);
    await until(() => !existsSync(this.plan));
  }

  /** Stalls the thread. Resolves once it continues, to the states of readiness meanwhile. */
  async stall(moment: Moment, ms: number): Promise<Set<number>> {
    await this.stop(moment, ms);
    const states = new Set<number>();
    for (const end = Date.now() + ms; Date.now() < end; await new Promise((done) => setTimeout(done, 200))) {
      states.add((await fetch(`${this.address}/health/ready`)).status);
    }
    return states;
  }

  ready(): Promise<number> {
    return fetch(`${this.address}/health/ready`).then(({ status }) => status);
  }

  /** Resolves once the server is ready. */
  async becomesReady(): Promise<void> {
    await until(async () => (await this.ready()) === 200);
  }

  /** Kills the server, starts another one on the same data, and compares answers with stored data. */
  async expectAllStored(): Promise<void> {
    await this.server.stop('SIGKILL');
    await this.deployment.releaseLeases();
    await this.serve();
    this.load.lead(this.address);
    await this.load.expectAllStored();
    expect(this.load.failures.filter(({ reason }) => reason.includes('INTERNAL_SERVER_ERROR'))).toEqual([]);
  }

  async remove(): Promise<void> {
    await this.load.remove();
    await this.deployment.remove();
  }

  private async serve(settings: Record<string, string> = {}): Promise<void> {
    Object.assign(this, await this.deployment.serve(settings));
  }
}
