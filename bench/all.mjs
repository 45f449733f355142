// npm run bench -- all: runs every bench in its short form, or some, and replaces their results in bench/results.json and bench/results.md.
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { names as benches, pathOf } from './support/benches.mjs';
import { MISSED } from './support/report.mjs';
import { resultsPage } from './support/results-page.mjs';
import { figuresTable, textTable } from './support/table.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Last result of each bench, from which the page is made. */
const RESULTS = join(ROOT, 'bench', 'results.json');
const PAGE = join(ROOT, 'bench', 'results.md');
const GRACE_MS = 30_000;

/** Settings of the short form: fewer rounds and smaller data, and one database where each takes most of the time limit. */
const shortForm = (seconds) => ({
  BENCH_SECONDS: String(seconds),
  BENCH_ROUNDS: '3',
  BENCH_DATABASE: 'SQLite',
  BENCH_MAILS: '500',
  BENCH_FILES: '100000',
  BENCH_LOGS: '100000',
  BENCH_GROWTH: '1000,10000',
  BENCH_MIB: '256',
  BENCH_CONNECTIONS: '1000',
  BENCH_SOCKETS: '10000',
  BENCH_CLIENTS: '2000',
});
/** Time limit of a bench; the longest take two thirds of it on two idle cores. */
const limitMs = (seconds) => (480 + 120 * seconds) * 1000;

/** Runs the benches, and resolves to whether each completed and met its targets. Stores each result once its bench ends. */
export async function runAll({ names, seconds }) {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1)); // with the bench that runs
  const machine = describeMachine(seconds);
  const results = [];
  for (const name of names) {
    process.stderr.write(`${name} ... `);
    const result = await run(name, seconds);
    results.push(result);
    process.stderr.write(`${result.tookSeconds.toFixed(0)} s${result.failure ? `, failed: ${result.failure}` : ''}\n`);
    if (result.reports.length > 0) process.stdout.write(`${textTable(figuresTable(result.reports))}\n`);
    await store(name, { ...machine, notes: notesOf(result), reports: result.reports });
  }
  process.stdout.write(results.flatMap((result) => notesOf(result).map((note) => `${note}\n`)).join(''));
  process.stderr.write('Written: bench/results.md\n');
  return results.every(({ failure, missed }) => !failure && !missed);
}

async function store(name, result) {
  const all = { ...JSON.parse(readFileSync(RESULTS, 'utf8')), [name]: result };
  const ordered = Object.fromEntries(benches.filter((one) => all[one]).map((one) => [one, all[one]]));
  const write = async (path, text, parser) => writeFileSync(path, await format(text, { ...(await resolveConfig(path)), parser }));
  await write(RESULTS, JSON.stringify(ordered), 'json');
  await write(PAGE, resultsPage(ordered, benches), 'markdown');
}

async function run(name, seconds) {
  const startedAt = performance.now();
  const result = { name, reports: [], skipped: [] };
  const child = fork(pathOf(name), {
    cwd: ROOT,
    env: { ...process.env, ...shortForm(seconds) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const stop = () => child.kill('SIGTERM'); // upon which it ends what it started
  process.once('exit', stop);
  child.on('message', (told) => (told.skipped ? result.skipped.push(told.skipped) : result.reports.push(told)));
  let isLate = false;
  const timers = [
    setTimeout(() => {
      isLate = true;
      stop();
    }, limitMs(seconds)),
    setTimeout(() => child.kill('SIGKILL'), limitMs(seconds) + GRACE_MS),
  ];
  const [status, signal] = await once(child, 'close');
  for (const timer of timers) clearTimeout(timer);
  process.off('exit', stop);
  result.tookSeconds = (performance.now() - startedAt) / 1000;
  result.missed = status === MISSED;
  if (isLate) result.failure = `not done after ${limitMs(seconds) / 1000} s`;
  else if (status !== 0 && status !== MISSED) result.failure = `ended with ${signal ?? `status ${status}`}`;
  else if (result.reports.length === 0 && result.skipped.length === 0) result.failure = 'told no figures';
  return result;
}

function notesOf({ name, skipped, missed, failure }) {
  const notes = [...new Set(skipped)].map((part) => `Skipped: ${part}.`);
  if (missed) notes.push(`Missed a target: ${name}.`);
  if (failure) notes.push(`Failed: ${name}, ${failure}.`);
  return notes;
}

/** Measured before the benches, whose own work would add to the load. */
function describeMachine(seconds) {
  const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', '--untracked-files=no', '--', '.', ':!bench/results.*');
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: git('rev-parse', '--short=10', 'HEAD') + (changed ? ', changed' : ''),
    machine: `${cpus()[0]?.model.trim() || 'unknown'}, ${availableParallelism()} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GiB`,
    system: `Node.js ${process.versions.node} on ${process.platform}`,
    load: `${seconds} s for each load; ${loadavg()[0].toFixed(1)} processes wanted a core in the minute before`,
  };
}
