// npm run bench -- compare REF: builds another commit, and alternates its server and that of this checkout under the same load.
// Measurements of two days, or of a busy machine, differ by more than any change; a ratio within a round does not. On two cores shared
// by ten processes, a build compared with itself gave 0.85 to 1.19 for throughput, 0.91 to 1.09 for processor time, and no loss. A loss
// of less than 15 % passes, so small ones can add up: compare with an older commit now and then.
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkOut } from './support/checkout.mjs';
import { comparisonTable, judge } from './support/judgement.mjs';
import { dataFolder, load, serve } from './support/loaded-server.mjs';
import { OPERATIONS } from './support/operations.mjs';
import { databases } from './support/postgres.mjs';
import { canMeasure, cpuSeconds } from './support/process-usage.mjs';
import { folder } from './support/servers.mjs';
import { textTable } from './support/table.mjs';

const ROUNDS = 6;
const WARM_UP_SECONDS = 2;
const LEFT_OUT = `Throughput and processor time (of the server, per request) are new to old: the median over the rounds, with
the least and the most.
Left out: the network, waiting for a disk, processor time of PostgreSQL and of render processes, S3, Redis and several nodes, memory,
large data, work that lasts beyond a round.`;

/** Resolves to true if, for each operation, the new build retains at least the share `allow` of throughput and of processor time. */
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

/** Reports a loss only if it recurs in twice as many rounds. An operation missing from the old build is no loss. */
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

/** Records a failure as a loss, so that the remaining operations are still measured. */
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
    // Read after both sides finished, to include deferred work.
    for (const [build, side] of Object.entries(sides)) {
      measured[build].cpuSeconds = (cpu(side) - measured[build].cpuBefore) / measured[build].count;
    }
    rounds.push(measured);
  }
  return rounds;
}
