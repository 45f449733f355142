// The faults of a soak: of its nodes, and of their shared dependencies. Each fault is repaired before its function returns.
import { setTimeout as sleep } from 'node:timers/promises';
import { Caller } from './caller.mjs';

const OUTAGE_MS = 5_000;
/** A silence longer than the timeouts of nodes, and shorter than those of callers. */
const SILENCE_MS = 9_000;

/** For 5 s, terminates each backend inside a transaction that has changed something. */
const TERMINATE_AGAIN_AND_AGAIN = `DO $$ BEGIN
  FOR look IN 1..500 LOOP
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND pid <> pg_backend_pid();
    PERFORM pg_stat_clear_snapshot();
    PERFORM pg_sleep(0.01);
  END LOOP;
END $$`;

const STUBBORN_PUSHERS = 4;
/** Time after the last restart by which every message has arrived. */
const ARRIVAL_MS = 30_000;

const any = (nodes) => nodes[Math.floor(Math.random() * nodes.length)];

/** Each may return what it found wrong. A fault of one node is repaired while it lasts; requests fail after it only for this long. */
export const FAULTS = {
  'a node is killed': async ({ three }) => {
    const node = any(three.nodes);
    await node.end('SIGKILL');
    await sleep(OUTAGE_MS);
    node.start();
    await node.ready();
  },
  'two nodes are killed': async ({ three }) => {
    const killed = three.nodes.slice(1);
    await Promise.all(killed.map((node) => node.end('SIGKILL')));
    await sleep(OUTAGE_MS);
    for (const node of killed) node.start();
    await Promise.all(killed.map((node) => node.ready()));
  },
  'a node is frozen': async ({ three }) => {
    const node = any(three.nodes);
    node.signal('SIGSTOP');
    await sleep(SILENCE_MS);
    node.signal('SIGCONT');
    await node.ready();
  },
  'the nodes are rolled': async ({ three, bystander }) => {
    const requests = bystander();
    for (const node of three.nodes) await node.restart();
    await requests.stop();
  },
  'the nodes are rolled under stubborn pushers': async ({ three, key, pushes }) => {
    const callers = three.nodes.map(({ port }) => new Caller(`http://127.0.0.1:${port}`, key));
    let isOver = false;
    const pushers = Array.from({ length: STUBBORN_PUSHERS }, async () => {
      while (!isOver) await pushes.stubbornStep(callers);
    });
    for (const node of three.nodes) await node.restart();
    isOver = true;
    await Promise.all(pushers);
    for (const caller of callers) caller.close();
    const pushed = pushes.answered();
    for (const end = Date.now() + ARRIVAL_MS; Date.now() < end; await sleep(100)) {
      if (pushes.missing(pushed).length === 0) return [];
    }
    return pushes.missing(pushed).map((id) => `message ${id} did not arrive within 30 s of the last roll`);
  },
  /** The former master stays as a replica for a while, and holds the connections of the nodes. */
  'Redis fails over': async ({ redis, ways, three }) => {
    const endFormer = await redis.failOver(ways.redis);
    await sleep(OUTAGE_MS);
    await allReady(three);
    await endFormer();
  },
  'Redis loses its data': async ({ redis, three }) => {
    await redis.kill();
    await sleep(OUTAGE_MS);
    await redis.begin();
    await allReady(three);
  },
  'Redis is silent': async ({ ways, three }) => {
    ways.redis.silent();
    await sleep(SILENCE_MS);
    ways.redis.speaks();
    await allReady(three);
  },
  /** The primary is killed, and its standby takes its place; another standby follows that from then on. */
  'PostgreSQL fails over': async ({ postgres, ways, three }) => {
    await postgres.losePrimary();
    await sleep(OUTAGE_MS);
    await postgres.promote();
    ways.database.lead(postgres.primary.port);
    await allReady(three);
    await postgres.addStandby();
  },
  'PostgreSQL is silent': async ({ ways, three }) => {
    ways.database.silent();
    await sleep(SILENCE_MS);
    ways.database.speaks();
    await allReady(three);
  },
  /** Longer than a node waits for a commit: it is applied, and nobody learns of it. */
  'PostgreSQL does what it is asked for, and its answers are lost': async ({ ways, three }) => {
    ways.database.oneWay();
    await sleep(SILENCE_MS);
    ways.database.bothWays();
    await allReady(three);
  },
  'backends of PostgreSQL are terminated between a change and its commit': async ({ postgres, three }) => {
    await postgres.primary.run(TERMINATE_AGAIN_AND_AGAIN);
    await allReady(three);
  },
  'the store is down': async ({ ways, three }) => {
    await ways.store.away();
    await sleep(OUTAGE_MS);
    await ways.store.back();
    await allReady(three);
  },
  'the mail server is down': async ({ ways }) => {
    await ways.mail.away();
    await sleep(OUTAGE_MS);
    await ways.mail.back();
  },
  'the receiver of events is down': async ({ events }) => {
    await events.away();
    await sleep(OUTAGE_MS);
    await events.back();
  },
};

async function allReady(three) {
  await Promise.all(three.nodes.map((node) => node.ready()));
}
