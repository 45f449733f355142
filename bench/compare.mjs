// npm run bench -- compare REF: builds another commit, and lets its server and that of this checkout take turns under the same
// load. Figures of two days, or of a busy machine, differ by more than any change; a ratio within a round does not. On two
// cores for which ten processes competed, a build against itself gave 0.85 to 1.19 for throughput, 0.91 to 1.09 for processor
// time, and no loss. A loss of less than 15 % passes, so small ones can add up: compare with an older commit now and then.
import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { checkOut } from './support/checkout.mjs';
import { comparisonTable, judge } from './support/judgement.mjs';
import { CONNECTIONS, OPERATIONS } from './support/operations.mjs';
import { databases } from './support/postgres.mjs';
import { canMeasure, cpuSeconds } from './support/process-usage.mjs';
import { createKey, folder, freePort, start } from './support/servers.mjs';
import { textTable } from './support/table.mjs';

const ROUNDS = 6;
const WARM_UP_SECONDS = 2;
const MEMORY = '/dev/shm';
const NEEDED_BYTES = 4 * 2 ** 30;
const LEFT_OUT = `Throughput and processor time (of the server, per request) are new to old: the median over the rounds, with
the least and the most.
Left out: the network, waiting for a disk, processor time of PostgreSQL and of render processes, S3, Redis and several nodes, memory,
large data, work that lasts beyond a round.`;

/** Resolves to whether the new build keeps, of each operation, at least the share `allow` of throughput and processor time. */
export async function compare({ commit, names, seconds, allow }) {
  const builds = { old: join(folder, 'old'), new: fileURLToPath(new URL('..', import.meta.url)) };
  const [busy] = loadavg();
  process.stderr.write(`Building ${commit.slice(0, 10)} ...\n`);
  await checkOut(commit, builds.old);
  const data = dataFolder();
  const entries = [];
  for (const { name, create } of databases) {
    const sides = {};
    for (const build of ['old', 'new']) sides[build] = await serve(builds[build], join(data, `${name}-${build}`), await create());
    for (const operation of names) {
      process.stderr.write(`${name}, ${operation} ...\n`);
      const measured = await measure(sides, OPERATIONS[operation], { seconds, allow }).catch(failed);
      entries.push({ what: `${name}, ${operation}`, ...measured });
    }
    for (const side of Object.values(sides)) await side.stop();
  }
  process.stdout.write(
    `\nold: ${commit.slice(0, 10)}, new: this checkout\n${textTable(comparisonTable(entries))}\n${LEFT_OUT}\n`,
  );
  if (busy > availableParallelism() / 4) {
    process.stdout.write(
      `\nThe machine was busy before: a load of ${busy.toFixed(1)} on ${availableParallelism()} cores. Measure again.\n`,
    );
  }
  return entries.every(({ isLost }) => !isLost);
}

/** On a disk, both builds would mostly wait for the device. */
function dataFolder() {
  const isRoomy = () => {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED_BYTES;
  };
  let parent = folder;
  try {
    if (isRoomy()) parent = MEMORY;
  } catch {
    // not on Linux
  }
  const data = mkdtempSync(join(parent, 'bench-data-'));
  process.once('exit', () => rmSync(data, { recursive: true, force: true }));
  return data;
}

/** Mails are sent where nobody listens, so that only accepting them is measured. */
async function serve(root, dataDir, database) {
  mkdirSync(dataDir);
  const own = { ...database.settings, DATA_DIR: dataDir };
  const mail = { SMTP_URL: `smtp://127.0.0.1:${await freePort()}`, EMAIL_FROM: 'no-reply@sender.example' };
  const server = await start('dist/bundle/main.js', { ...own, ...mail, root });
  const ends = [];
  const stop = async () => {
    for (const end of ends) end();
    await server.stop();
    await database.drop();
  };
  return { address: server.address, pid: server.pid, key: createKey(own, root), beforeStop: (end) => ends.push(end), stop };
}

/** Takes a loss for one only if it shows in twice as many rounds. What the old build cannot do is no loss. */
async function measure(sides, operation, { seconds, allow }) {
  const requests = {};
  for (const [build, side] of Object.entries(sides)) {
    try {
      requests[build] = await operation(side);
      await load(build, requests[build], WARM_UP_SECONDS);
    } catch (error) {
      if (build === 'new') throw error;
      return { failure: `old failed: ${error.message}`, isLost: false };
    }
  }
  const rounds = await takeTurns(sides, requests, seconds);
  if (judge(rounds, allow).seemsLost) rounds.push(...(await takeTurns(sides, requests, seconds)));
  return judge(rounds, allow);
}

/** Lets the other operations be measured. */
function failed(error) {
  return { failure: `FAILED: ${error.message}`, isLost: true };
}

async function takeTurns(sides, requests, seconds) {
  const cpu = ({ pid }) => (canMeasure ? cpuSeconds(pid) : Number.NaN);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const measured = {};
    for (const [build, side] of Object.entries(sides)) measured[build] = { cpuBefore: cpu(side) };
    const order = round % 2 === 0 ? ['old', 'new'] : ['new', 'old']; // neither always follows the other
    for (const build of order) Object.assign(measured[build], await load(build, requests[build], seconds));
    // Read once both are done: work that a server puts off counts for it.
    for (const [build, side] of Object.entries(sides)) {
      measured[build].cpuSeconds = (cpu(side) - measured[build].cpuBefore) / measured[build].count;
    }
    rounds.push(measured);
  }
  return rounds;
}

async function load(build, request, seconds) {
  const result = await autocannon({ ...request, connections: CONNECTIONS, duration: seconds });
  const { requests, duration, errors, mismatches, statusCodeStats } = result;
  const refusals = Object.entries(statusCodeStats).filter(([status]) => !status.startsWith('2'));
  if (errors + mismatches + refusals.length > 0) {
    const answers = refusals.map(([status, { count }]) => `${count} times ${status}`);
    throw new Error(`${build}: ${[`${errors} errors`, `${mismatches} wrong answers`, ...answers].join(', ')}`);
  }
  return { count: requests.total, perSecond: requests.total / duration };
}
