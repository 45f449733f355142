// npm run bench -- all: runs every bench in its short form and writes one table of all results to bench/results.md.
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { pathOf } from './support/benches.mjs';
import { MISSED } from './support/report.mjs';
import { figuresTable, markdownTable, textTable } from './support/table.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
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

/** Runs the benches, and resolves to whether each completed and met its targets. Writes the page if `writesPage`. */
export async function runAll({ names, seconds, writesPage }) {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1)); // with the bench that runs
  const machine = describeMachine();
  const results = [];
  for (const name of names) {
    process.stderr.write(`${name} ... `);
    const result = await run(name, seconds);
    results.push(result);
    process.stderr.write(`${result.tookSeconds.toFixed(0)} s${result.failure ? `, failed: ${result.failure}` : ''}\n`);
    if (result.reports.length > 0) process.stdout.write(`${textTable(figuresTable(result.reports))}\n`); // kept if the run is interrupted
  }
  const notes = notesOf(results);
  process.stdout.write(notes.map((note) => `${note}\n`).join(''));
  if (writesPage) {
    writeFileSync(PAGE, await pageOf({ results, notes, machine, seconds }));
    process.stderr.write('Written: bench/results.md\n');
  }
  return results.every(({ failure, missed }) => !failure && !missed);
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

function notesOf(results) {
  const skipped = new Set(results.flatMap((result) => result.skipped));
  return [
    ...[...skipped].map((part) => `Skipped: ${part}.`),
    ...results.filter(({ missed }) => missed).map(({ name }) => `Missed a target: ${name}.`),
    ...results.filter(({ failure }) => failure).map(({ name, failure }) => `Failed: ${name}, ${failure}.`),
  ];
}

/** Measured before the benches, whose own work would add to the load. */
function describeMachine() {
  const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  return {
    processor: cpus()[0]?.model.trim() || 'unknown',
    cores: availableParallelism(),
    memory: `${(totalmem() / 2 ** 30).toFixed(0)} GiB`,
    'Node.js': process.versions.node,
    system: process.platform,
    'load before': `${loadavg()[0].toFixed(1)} processes on average wanted a core in the minute before`,
    date: new Date().toISOString().slice(0, 10),
    commit: git('rev-parse', '--short=10', 'HEAD') + (git('status', '--porcelain', '--untracked-files=no') ? ', changed' : ''),
  };
}

async function pageOf({ results, notes, machine, seconds }) {
  const reports = results.flatMap((result) => result.reports);
  const lines = Object.entries(machine);
  const text = `# Benchmarks

Generated by \`npm run bench -- all --seconds ${seconds}\`; do not edit. Each bench compares two sides on one machine, alternating; a ratio is ours to the peer's. A heading says what is measured, its unit and the peer. These are short forms: \`npm run bench -- NAME\` runs one in full. The first comment of \`bench/NAME.bench.mjs\` says what it measures and leaves out; [README.md](README.md) says how to compare two commits.

${lines.map(([name, value]) => `- ${name}: ${value}\n`).join('')}${notes.map((note) => `- ${note}\n`).join('')}
${markdownTable(figuresTable(reports))}`;
  return format(text, { ...(await resolveConfig(PAGE)), parser: 'markdown' });
}
