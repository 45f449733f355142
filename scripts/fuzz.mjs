// npm run fuzz -- [--seconds 60] [--seed N] [--database sqlite|postgresql]: sends requests that must not harm the server. Fails on a
// status of 5xx, an internal error, an error in the log, a stall of the event loop over 200 ms, a memory leak, or an exit of the
// process. Prints the seed and the smallest request of a failure.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { prepare } from './prepare.mjs';

const LANES_OF_OPERATIONS = 4;
const WARM_UP_SECONDS = 5;
const SHOWN_CHARACTERS = 1_500;

await prepare({ withTools: true });
const { default: fc } = await import('fast-check');
const { content, http, Known, operations, sockets } = await import('../fuzz/lanes.mjs');
const { Server } = await import('../fuzz/server.mjs');
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string' },
    database: { type: 'string', default: 'sqlite' },
  },
});
const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
const seconds = Number(values.seconds);
if (!Number.isInteger(seed) || !(seconds > 0) || !['sqlite', 'postgresql'].includes(values.database)) {
  process.stderr.write('usage: npm run fuzz -- [--seconds 60] [--seed N] [--database sqlite|postgresql]\n');
  process.exit(1);
}
if (values.database === 'postgresql' && !process.env.TEST_DATABASE_URL) {
  process.stderr.write('TEST_DATABASE_URL must name a PostgreSQL server for --database postgresql\n');
  process.exit(1);
}

console.log(
  `fuzzing ${values.database} for ${seconds} s; to repeat: npm run fuzz -- --seed ${seed} --database ${values.database}`,
);
const server = await Server.start(values.database === 'postgresql' ? process.env.TEST_DATABASE_URL : undefined);
const known = new Known();
const underWay = new Map();
server.lastRequests = () =>
  [...underWay.values()].map((request) => JSON.stringify(request).slice(0, SHOWN_CHARACTERS)).join('\n');
let attempts = 0;

/** Runs one lane until the time is over. Minimizes and records each failing request, then continues with the next seed. */
async function run(lane, index, untilMs) {
  for (let round = 0; performance.now() < untilMs; round++) {
    const property = fc.asyncProperty(fc.gen(), async (g) => {
      const request = drawn(lane, g);
      underWay.set(index, request);
      attempts += 1;
      const fault = await lane.attempt(request).catch((error) => `no answer: ${error.cause?.message ?? error.message}`);
      if (fault) throw Object.assign(new Error(fault), { request });
    });
    const result = await fc.check(property, {
      seed: seed + 1_000 * index + round,
      numRuns: Number.MAX_SAFE_INTEGER,
      interruptAfterTimeLimit: untilMs - performance.now(),
      maxSkipsPerRun: 0,
    });
    if (!result.errorInstance) return; // the time is over
    const { message, request } = result.errorInstance;
    server.blame(`${lane.name}: ${generalised(message)}`, JSON.stringify(request)?.slice(0, SHOWN_CHARACTERS));
  }
}

/** Stops the run on a bug of the fuzzer, which must not count as one of the server. */
function drawn(lane, g) {
  try {
    return lane.draw(g);
  } catch (error) {
    process.stderr.write(`${error.stack}\n`);
    process.exit(2);
  }
}

/** Removes ids, so that each cause is listed once. */
const generalised = (message) => message.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID').slice(0, 300);

async function runAll(forSeconds) {
  const untilMs = performance.now() + forSeconds * 1_000;
  const lanes = [
    ...Array.from({ length: LANES_OF_OPERATIONS }, () => operations(server, known)),
    content(server),
    http(server),
    sockets(server),
  ];
  await Promise.all(lanes.map((lane, index) => run(lane, index, untilMs)));
}

await runAll(Math.min(WARM_UP_SECONDS, seconds / 2));
await server.measureMemory();
await runAll(seconds);
await server.stop();

for (const [fault, { times, example }] of server.faults) console.log(`\nFAULT (${times}×) ${fault}\n${example}`);
console.log(
  `\n${attempts} attempts, longest stall ${Math.round(server.longestStallMs)} ms, ${server.keptMiB ?? '?'} MiB kept, ` +
    `${server.faults.size} kinds of faults, seed ${seed}`,
);
process.exitCode = server.faults.size > 0 ? 1 : 0;
