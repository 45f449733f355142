// A node of two workers that send letters, with a low bound: run by test/unit/letters.spec.ts. Worker 1 sends while worker 2 does
// not read. Worker 2 prints what it received, in order: numbers, and `lost`.
import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { Relay } from '../../dist/common/processes/relay.js';
import { Siblings } from '../../dist/common/processes/siblings.js';

const BOUND = 4 * 1024 * 1024;
const TEXT = 'x'.repeat(1024);
const LETTERS = 50_000;
const SENT_AT_ONCE = 100;

if (cluster.isPrimary) runPrimary();
else if (cluster.worker.id === 1) await send(newSiblings());
else receive(newSiblings());

function runPrimary() {
  cluster.setupPrimary({ exec: fileURLToPath(import.meta.url) });
  const relay = new Relay({}, BOUND);
  for (let count = 0; count < 2; count++) relay.serve(cluster.fork());
  cluster.on('exit', () => process.exit());
}

function newSiblings() {
  const siblings = new Siblings();
  siblings.on('stop-reading', block);
  return siblings;
}

/** Blocks this process, as a long calculation would, until the sender is done. */
function block(milliseconds) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

async function send(siblings) {
  const met = new Promise((resolve) =>
    siblings.watch({ changed: (others) => others.has(2) && resolve(), lost: () => undefined }),
  );
  siblings.onApplicationBootstrap();
  await met;
  void siblings.ask(2, 'stop-reading', 3_000).catch(() => undefined);
  for (let number = 0; number < LETTERS; number += SENT_AT_ONCE) {
    const some = Array.from({ length: SENT_AT_ONCE }, (_, index) => siblings.send(2, 'letter', { number: number + index, TEXT }));
    await Promise.all(some); // a worker that does not read holds up no sender
  }
  // While letters are dropped, questions are too.
  while (!(await siblings.ask(2, 'is-told', undefined, 1_000).catch(() => false)));
  await siblings.send(2, 'letter', { number: 'after' });
  await siblings.send(2, 'done');
}

function receive(siblings) {
  const received = [];
  siblings.watch({ changed: () => undefined, lost: () => received.push('lost') });
  siblings.on('letter', ({ number }) => void received.push(number));
  siblings.on('is-told', () => received.includes('lost'));
  siblings.on('done', () => process.stdout.write(JSON.stringify(received), () => process.exit()));
  siblings.onApplicationBootstrap();
}
