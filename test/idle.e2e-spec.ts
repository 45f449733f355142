// @nightly: watches a server that has nothing to do for half a minute
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Deployment } from './support/process.js';

/** After which a started server has settled. */
const SETTLED_MS = 20_000;
const WATCHED_SECONDS = 30;
/** One poll a second, 6 statements of jobs, and those of a reading of the metrics. It took 18 of jobs when some polled by themselves. */
const MOST_STATEMENTS = WATCHED_SECONDS + 14;
/** Wake-ups of the main thread a second. It took over 100 when prom-client measured the event loop. */
const MOST_WAKE_UPS = 40;

describe('an idle server', () => {
  let deployment: Deployment;
  let pid: number;
  let address: string;

  beforeAll(async () => {
    deployment = await Deployment.create({ PORT: '0' });
    const served = await deployment.serve();
    ({ address } = served);
    pid = served.server.child.pid!;
    await delay(SETTLED_MS);
  });
  afterAll(() => deployment.remove());

  it('wakes up seldom, and sends few statements', async () => {
    const [statements, wakeUps] = [await statementsOf(address), wakeUpsOf(pid)];
    await delay(WATCHED_SECONDS * 1_000);
    const woken = (wakeUpsOf(pid) - wakeUps) / WATCHED_SECONDS;
    expect((await statementsOf(address)) - statements).toBeLessThanOrEqual(MOST_STATEMENTS);
    expect(woken).toBeLessThanOrEqual(MOST_WAKE_UPS);
  });
});

async function statementsOf(address: string): Promise<number> {
  const metrics = await (await fetch(`${address}/metrics`)).text();
  return Number(/^database_statements_total\{outcome="ok"\} (\d+)$/m.exec(metrics)![1]);
}

/** Returns how often the main thread has waited. Linux only: 0 elsewhere. */
function wakeUpsOf(pid: number): number {
  if (process.platform !== 'linux') return 0;
  return Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/task/${pid}/status`, 'utf8'))![1]);
}
