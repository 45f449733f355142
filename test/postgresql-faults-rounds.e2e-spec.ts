// @only postgresql: the faults are those of a server and of the network to it
// @nightly: nodes are killed while their PostgreSQL has faults, in many rounds
import { setTimeout as sleep } from 'node:timers/promises';
import { FaultyPostgres } from './support/faulty-postgres.js';
import { describeWithOwnPostgres } from './support/postgres.js';
import { itInRounds } from './support/rounds.js';

const RESET_EVERY_MS = 250;

type Suffer = (node: FaultyPostgres, ms: number) => Promise<void>;

/** Each fault lasts for a time, and is over then. */
const FAULTS = {
  'terminated backends': async (node, ms) => {
    const end = performance.now() + ms;
    await node.terminate(() => performance.now() > end);
  },
  'lost answers': async ({ proxy }, ms) => {
    proxy.losesAnswers = true;
    await sleep(ms);
    proxy.pass();
  },
  'a half-open cut': async ({ proxy }, ms) => {
    proxy.cutOff();
    await sleep(ms);
    proxy.pass();
  },
  'connections reset': async ({ proxy }, ms) => {
    for (const end = performance.now() + ms; performance.now() < end; await sleep(RESET_EVERY_MS)) proxy.cut();
  },
  'a crash of PostgreSQL': async ({ postgres }, ms) => {
    await postgres.end();
    await sleep(ms);
    await postgres.begin();
  },
} satisfies Record<string, Suffer>;
const KINDS = Object.keys(FAULTS) as (keyof typeof FAULTS)[];

describeWithOwnPostgres('a node under a load on all five services, whose PostgreSQL has faults', () => {
  itInRounds('loses nothing that was answered', KINDS, async ({ faults, killAfterMs }) => {
    const node = await FaultyPostgres.start();
    try {
      await node.load.progress(1);
      for (const fault of faults.slice(0, -1)) {
        await FAULTS[fault.kind](node, fault.ms);
        await node.load.progress(1);
        await node.becomes(200);
      }
      const { kind, ms } = faults.at(-1)!;
      await Promise.all([FAULTS[kind](node, ms), sleep(killAfterMs).then(() => node.kill())]);
      await node.expectAllStored();
    } finally {
      await node.remove();
    }
  });
});
