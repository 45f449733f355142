import { type ChildProcess, spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { FIRST_LINE, serving } from '../nodes/own-process.mjs';
import { LINUX, needing } from '../support/needs.js';
import { hold } from '../support/time.js';
import { createLogger, type Logger } from '../../src/common/logging/logger.js';
import { Metrics } from '../../src/common/metrics/metrics.js';
import { RenderMetrics } from '../../src/modules/document-rendering/engine/render-metrics.js';
import { RenderPool } from '../../src/modules/document-rendering/engine/render-pool.js';
import { processorTimeOf } from '../../src/modules/document-rendering/engine/job-time-limit.js';

const log = createLogger({ logLevel: 'silent' });
const PARENT = fileURLToPath(new URL('../support/render-parent.mjs', import.meta.url));
const GREEDY_CHILD = new URL('../support/greedy-child.mjs', import.meta.url);
/** Nested so deeply that its text takes many times the limit. */
const HOSTILE = '<table><tr><td>'.repeat(100_000);

class PoolOfOne extends RenderPool {
  protected override readonly maxOfTenant: number = 1;
}
class PatientPool extends PoolOfOne {
  protected override readonly maxWaitMs: number = 60_000;
}
class SoonImpatientPool extends PoolOfOne {
  override maxWaitMs = 60_000;
}
class GreedyPool extends PatientPool {
  protected override readonly entry: URL = GREEDY_CHILD;
}
class BrokenPool extends RenderPool {
  protected override readonly entry: URL = new URL('./no-such-child.mjs', import.meta.url);
}

/** Elsewhere all of a job's time counts as work. */
const onLinux = needing(LINUX).it;

const pools: RenderPool[] = [];
const all = new Metrics();
const metrics = new RenderMetrics(all);
function open<T extends RenderPool>(Pool: new (metrics: RenderMetrics, logger: Logger) => T): T {
  const pool = new Pool(metrics, log);
  pools.push(pool);
  return pool;
}
const textOf = (pool: RenderPool, html: string, tenantId = 'tenant') => pool.run(tenantId, { kind: 'text', html });
const outcomeOf = (work: Promise<unknown>) => work.then(String, (error: any) => error.refusal?.code ?? error.code);

afterEach(() => {
  for (const pool of pools.splice(0)) pool.onApplicationShutdown();
});

/** A pool whose one process has done a job, with the id of that process. */
async function openWithChild(): Promise<{ pool: RenderPool; child: number }> {
  let child: ChildProcess | undefined;
  const remember = (message: unknown) => (child = (message as { process: ChildProcess }).process);
  subscribe('child_process', remember);
  const pool = open(PoolOfOne);
  await textOf(pool, 'warm');
  unsubscribe('child_process', remember);
  return { pool, child: child!.pid! };
}

describe('the render pool', () => {
  let starved: { pool: RenderPool; outcome: Promise<string> };
  beforeAll(async () => {
    const { pool, child } = await openWithChild();
    pools.pop(); // lives on beside the others
    process.kill(child, 'SIGSTOP');
    starved = { pool, outcome: outcomeOf(textOf(pool, 'starved')) };
  });

  it('runs jobs in processes that it starts on demand', async () => {
    const pool = open(PoolOfOne);
    const texts = await Promise.all(['<p>a</p>', '<b>b</b>'].map((html) => textOf(pool, html)));
    expect(texts).toEqual(['a', 'b']);
  });

  it('starts one process when it is checked, and no further one when it is checked again', async () => {
    let started = 0;
    const count = () => void (started += 1);
    subscribe('child_process', count);
    const pool = open(RenderPool);
    await pool.check();
    await pool.check();
    unsubscribe('child_process', count);
    expect(started).toBe(1);
  });

  it('loads only Node modules in its processes, which start on every version of it', async () => {
    for (const name of ['render-child', 'parent-watch']) {
      const source = readFileSync(new URL(`../../dist/bundle/${name}.js`, import.meta.url), 'utf8');
      const imports = [...source.matchAll(/^import\b[^'"]*["']([^'"]+)["']/gm)].map(([, from]) => from!);
      expect(imports.filter((from) => !isBuiltin(from))).toEqual([]);
      expect(imports).toContain('node:worker_threads');
    }
  });

  it('stops the jobs of an operation that is over, running and queued, and begins the next one', async () => {
    const { pool, child } = await openWithChild();
    const stops: (() => void)[] = [];
    const asking = { onOver: (stop: () => void) => (stops.push(stop), () => undefined) };
    process.kill(child, 'SIGSTOP'); // the first job runs until its process is killed
    const left = Array.from({ length: 20 }, () => outcomeOf(pool.run('tenant', { kind: 'text', html: HOSTILE }, asking)));
    const next = textOf(pool, 'next');
    for (const stop of stops) stop();
    expect(new Set(await Promise.all(left))).toEqual(new Set(['SERVICE_UNAVAILABLE']));
    expect(await next).toBe('next');
    const text = await all.read();
    expect(text).toMatch(/render_jobs_total\{[^}]*outcome="left"[^}]*\} 20/);
    expect(stops).toHaveLength(20);
  });

  it('stops a job after 2 s of work, and the next one works', async () => {
    const { pool, child } = await openWithChild();
    const workOf = () => (process.platform === 'linux' ? processorTimeOf(child) : performance.now()) ?? 0;
    const before = workOf();
    let workedMs = 0;
    const watch = setInterval(() => (workedMs = Math.max(workedMs, workOf() - before)), 20);
    const begun = performance.now();
    let refused: any;
    // A very busy machine does not let it work for 2 s in the 10 s that it may take.
    for (let attempt = 1; attempt <= 5 && (refused?.code ?? 'SERVICE_UNAVAILABLE') === 'SERVICE_UNAVAILABLE'; attempt++) {
      refused = await textOf(pool, HOSTILE).catch((error: unknown) => error);
    }
    clearInterval(watch);
    expect(refused).toMatchObject({
      refusal: { code: 'BAD_USER_INPUT', field: null, message: expect.stringContaining('limit of 2 s') },
    });
    const tookMs = performance.now() - begun;
    expect(tookMs).toBeGreaterThanOrEqual(1_990);
    expect(workedMs).toBeLessThan(4_000);
    expect(await textOf(pool, 'next')).toBe('next');
  });

  onLinux('measures work by processor time where the system reports it: a job on a busy machine finishes', async () => {
    const { pool, child } = await openWithChild();
    process.kill(child, 'SIGSTOP');
    const job = textOf(pool, 'slow');
    await sleep(2_500);
    process.kill(child, 'SIGCONT');
    expect(await job).toBe('slow');
  });

  it('accepts the result of a job that finished while this process was busy', async () => {
    const { pool } = await openWithChild();
    const job = textOf(pool, 'quick');
    hold(3_000);
    expect(await job).toBe('quick');
  });

  onLinux('counts no time as work in which this process could not measure it', async () => {
    const { pool, child } = await openWithChild();
    process.kill(child, 'SIGSTOP');
    const job = textOf(pool, 'stopped');
    hold(3_000);
    await sleep(500); // the time is looked at
    process.kill(child, 'SIGCONT');
    expect(await job).toBe('stopped');
  });

  it('loses one job to a process that runs out of memory, and the queued ones work', async () => {
    const pool = open(GreedyPool);
    for (let times = 0; times < 2; times++) await textOf(pool, 'some memory');
    const [greedy, next] = await Promise.allSettled([textOf(pool, 'all memory'), textOf(pool, 'next')]);
    expect(greedy).toMatchObject({
      reason: { refusal: { code: 'BAD_USER_INPUT', message: expect.stringContaining('memory limit') } },
    });
    expect(next).toMatchObject({ value: 'next' });
  });

  it('reports markup that is nested too deeply for the stack, and refused jobs', async () => {
    const pool = open(PoolOfOne);
    await expect(textOf(pool, `<table><tr><td>a<td>${'<b>'.repeat(8_000)}</td></tr><tr><td>a<td>b`)).rejects.toMatchObject({
      refusal: { code: 'BAD_USER_INPUT', message: expect.stringContaining('nested too deeply') },
    });
    expect(await outcomeOf(textOf(pool, 'x'.repeat(10 * 1024 * 1024 + 1)))).toBe('PAYLOAD_TOO_LARGE');
  });

  it('queues 50 jobs of a tenant, refuses the next one, and accepts those of others', async () => {
    const pool = open(PoolOfOne);
    const accepted = Array.from({ length: 50 }, (_, index) => textOf(pool, `${index}`));
    await expect(textOf(pool, 'x')).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringContaining('50 queued renderings'),
    });
    expect(await textOf(pool, 'other', 'another tenant')).toBe('other');
    expect(await Promise.all(accepted)).toEqual(accepted.map((_, index) => `${index}`));
  });

  it("runs another tenant's job before most of ten hostile ones that came first", async () => {
    const pool = open(PatientPool);
    let ended = 0;
    const hostile = Array.from({ length: 10 }, () => outcomeOf(textOf(pool, HOSTILE, 'hostile')).finally(() => (ended += 1)));
    expect(await textOf(pool, 'other')).toBe('other');
    expect(ended).toBeLessThanOrEqual(1);
    pool.onApplicationShutdown();
    const outcomes = new Set(await Promise.all(hostile));
    outcomes.delete('BAD_USER_INPUT'); // unless a busy machine let none of them work for 2 s
    expect(outcomes).toEqual(new Set(['SERVICE_UNAVAILABLE']));
  });

  it.each([1, 2])(
    'reserves a process for others while a tenant occupies its %i: a small job ends before any hostile one',
    async (share) => {
      class PoolOfShare extends PatientPool {
        protected override readonly maxOfTenant: number = share;
      }
      const pool = open(PoolOfShare);
      await Promise.all(Array.from({ length: share }, () => textOf(pool, 'warm')));
      const ended: string[] = [];
      const hostile = Array.from({ length: 6 }, () =>
        outcomeOf(textOf(pool, HOSTILE, 'hostile')).finally(() => ended.push('hostile')),
      );
      for (const name of ['a', 'b', 'c']) {
        await textOf(pool, name, 'other');
        ended.push(name);
      }
      // The first process for the others may still start when it is asked, on a machine so busy that a hostile job ends meanwhile.
      expect(ended.slice(0, share + 3).filter((name) => name !== 'hostile')).toEqual(['a', 'b', 'c']);
      pool.onApplicationShutdown();
      await Promise.all(hostile);
    },
  );

  it('has at most one process more than a tenant may occupy, however many tenants wait', async () => {
    const pool = open(PatientPool);
    const children: ChildProcess[] = [];
    const remember = (message: unknown) => children.push((message as { process: ChildProcess }).process);
    subscribe('child_process', remember);
    const hostile = ['one', 'one', 'one', 'two', 'two'].map((tenantId) => outcomeOf(textOf(pool, HOSTILE, tenantId)));
    await Promise.race(hostile);
    unsubscribe('child_process', remember);
    expect(children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null).length).toBeLessThanOrEqual(2);
    pool.onApplicationShutdown();
    await Promise.all(hostile);
  });

  it('abandons a job that has waited for its maximum time', async () => {
    const pool = open(SoonImpatientPool);
    await textOf(pool, 'warm'); // however long its process takes to start
    pool.maxWaitMs = 1_000;
    const hostile = [outcomeOf(textOf(pool, HOSTILE))];
    const begun = performance.now();
    await expect(textOf(pool, 'late')).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('did not start within 1 s'),
    });
    expect(performance.now() - begun).toBeGreaterThanOrEqual(990);
    pool.onApplicationShutdown();
    await Promise.all(hostile);
  });

  it('refuses as unavailable when its processes do not start, and after it was closed', async () => {
    const broken = open(BrokenPool);
    expect(await Promise.all(['a', 'b'].map((html) => outcomeOf(textOf(broken, html))))).toEqual(
      Array(2).fill('SERVICE_UNAVAILABLE'),
    );
    expect(await outcomeOf(textOf(broken, 'again'))).toBe('SERVICE_UNAVAILABLE');
    expect(await outcomeOf(broken.check())).toBe('SERVICE_UNAVAILABLE');
    const closed = open(PoolOfOne);
    closed.onApplicationShutdown();
    expect(await outcomeOf(textOf(closed, 'a'))).toBe('SERVICE_UNAVAILABLE');
  });

  onLinux('refuses as unavailable what the machine did not reach in 10 s, and the next one works', async () => {
    const { pool, outcome } = starved;
    expect(await outcome).toBe('SERVICE_UNAVAILABLE');
    expect(await textOf(pool, 'next')).toBe('next');
    pool.onApplicationShutdown();
  });

  it('counts its jobs by outcome, and its queued jobs', async () => {
    const shown = await all.registry.metrics();
    for (const outcome of ['ok', 'refused', 'timeout', 'memory', 'queue_full', 'waited', 'unavailable']) {
      expect(shown).toMatch(new RegExp(`^render_jobs_total\\{kind="text",outcome="${outcome}"\\} [1-9]`, 'm'));
    }
    expect(shown).toMatch(/^render_queue_length 0$/m);
  });
});

describe('a process with a render pool', () => {
  const started: ReturnType<typeof spawn>[] = [];
  afterEach(() => started.splice(0).forEach((child) => child.kill('SIGKILL')));
  const startParent = async (doing: string) => {
    const parent = spawn(process.execPath, [PARENT, doing], { stdio: ['ignore', 'pipe', 'inherit'] });
    started.push(parent);
    return { parent, said: JSON.parse(await serving(parent, FIRST_LINE, parent.stdout)) };
  };

  it('never stalls for more than 100 ms while ten hostile jobs run, and idle children do not prevent its exit', async () => {
    const { parent, said } = await startParent('hostile');
    const exited = parent.exitCode ?? (await once(parent, 'exit'))[0];
    expect(exited).toBe(0);
    expect(said.refused).toBe(10);
    expect(said.longestStallMs).toBeLessThan(100);
  });

  it.each(['idle', 'busy'])('stops its children when it is killed while they are %s', async (doing) => {
    const { parent, said } = await startParent(doing);
    expect(said.children.length).toBeGreaterThan(0);
    expect(said.children.every(isRunning)).toBe(true);
    parent.kill('SIGKILL');
    while (said.children.some(isRunning)) await sleep(20);
  });
});

/** A zombie process does not count. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' && syscall === 'open' && process.platform !== 'linux';
  }
}
