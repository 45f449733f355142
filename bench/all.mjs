// npm run bench -- all: runs every bench in its short form and makes one table of all figures, which docs/benchmarks.md keeps.
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { headOf, pathOf } from './support/benches.mjs';
import { MISSED } from './support/report.mjs';
import { figuresTable, markdownTable, textTable } from './support/table.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = join(ROOT, 'docs', 'benchmarks.md');
const GRACE_MS = 30_000;

/** Fewer rounds and smaller data than a bench takes by itself. */
const shortForm = (seconds) => ({
  BENCH_SECONDS: String(seconds),
  BENCH_ROUNDS: '3',
  BENCH_MAILS: '500',
  BENCH_FILES: '100000',
  BENCH_LOGS: '100000',
  BENCH_MIB: '256',
  BENCH_CONNECTIONS: '1000',
  BENCH_SOCKETS: '10000',
});
/** Ends a bench that hangs; the longest take a quarter of it on two cores that are idle. */
const limitMs = (seconds) => (180 + 120 * seconds) * 1000;

/** Resolves to whether every bench ran to its end and met its targets. Writes the page if `writesPage`. */
export async function runAll({ names, seconds, writesPage }) {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1)); // with the bench that runs
  const machine = describeMachine();
  const results = [];
  for (const name of names) {
    process.stderr.write(`${name} ... `);
    const result = await run(name, seconds);
    results.push(result);
    process.stderr.write(`${result.tookSeconds.toFixed(0)} s${result.failure ? `, failed: ${result.failure}` : ''}\n`);
  }
  const notes = notesOf(results);
  process.stdout.write(`\n${textTable(figuresTable(results.flatMap(({ reports }) => reports)))}\n`);
  process.stdout.write(notes.map((note) => `${note}\n`).join(''));
  if (writesPage) {
    writeFileSync(PAGE, await pageOf({ results, notes, machine, seconds }));
    process.stderr.write('Written: docs/benchmarks.md\n');
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

/** Read before the benches, since their own work counts in the load. */
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
  const lines = Object.entries(machine).map(([name, value]) => [name, String(value)]);
  const text = `# Benchmarks

Written by \`npm run bench -- all --seconds ${seconds}\`; do not edit it by hand. Each bench compares two sides on one machine, in turns; a ratio
is ours to the peer's. A heading names what is measured, its unit and the peer. The benches run here in their short form;
\`npm run bench -- NAME\` runs one in full. [Contributing](../CONTRIBUTING.md#benches) says how to compare two commits.

${markdownTable({ header: ['machine', ''], lines, left: new Set(['machine', '']) })}
${notes.map((note) => `- ${note}\n`).join('')}
## Figures

${markdownTable(figuresTable(reports))}
## What each bench measures and leaves out

${results.map(({ name }) => `- **${name}**: ${headOf(name)}\n`).join('')}`;
  return format(text, { ...(await resolveConfig(PAGE)), parser: 'markdown' });
}
