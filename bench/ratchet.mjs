// npm run bench -- ratchet: processor time per request of each operation, as a ratio to a bare server that alternates with ours
// (peers/calibration.mjs). Fails if an operation costs 5 % more than the best of the last 30 entries of baseline.json, so that small
// losses cannot add up. Ignores entries from other processors and other majors of Node, which have different ratios.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataFolder, load, serve } from './support/loaded-server.mjs';
import { OPERATIONS } from './support/operations.mjs';
import { databases } from './support/postgres.mjs';
import { canMeasure, cpuSeconds } from './support/process-usage.mjs';
import { median, skip } from './support/report.mjs';
import { start } from './support/servers.mjs';
import { textTable } from './support/table.mjs';

const FILE = new URL('baseline.json', import.meta.url);
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ENTRIES = 30;
const ALLOWED = 1.05;
const ROUNDS = 6;
const TRIES = 3;
const WARM_UP_SECONDS = 2;
/** Three cheapest operations and the most expensive one, for a minute in CI. */
const SHORT = ['version', 'render', 'file', 'files'];
const MACHINE = `${cpus()[0].model}, ${availableParallelism()} cores, Node ${process.versions.node.split('.')[0]}`;
const HEADER = ['what', 'now', 'spread', 'best', 'ratio', 'outcome'];

/**
 * Resolves to true if no operation lost more than 5 %. `short` measures four operations on SQLite. `write` stores the ratios as the
 * entry of this commit. `moved` names operations that may cost more from this entry on, with the reason.
 */
export async function ratchet({ names, seconds, short, write, moved }) {
  if (!canMeasure) return skip('the ratchet, since this system does not tell processor time of processes') ?? true;
  const baseline = JSON.parse(readFileSync(FILE, 'utf8'));
  const [busy] = loadavg();
  const unit = await calibration();
  const ratios = {};
  const lines = [];
  for (const { name, create } of short ? databases.slice(0, 1) : databases) {
    const ours = await serve(ROOT, join(dataFolder(), name), await create());
    for (const operation of short ? SHORT : names) {
      const what = `${name}, ${operation}`;
      process.stderr.write(`${what} ...\n`);
      const best = moved[what] ? undefined : bestOf(baseline, what);
      const measured = await measure(ours, unit, await OPERATIONS[operation](ours), seconds, best);
      ratios[what] = Number(measured.median.toFixed(3));
      lines.push({ what, best, ...measured });
    }
    await ours.stop();
  }
  await unit.server.stop();
  process.stdout.write(`\n${MACHINE}\n${textTable(table(lines))}`);
  if (busy > availableParallelism() / 4) process.stdout.write(`The machine was busy before: a load of ${busy.toFixed(1)}.\n`);
  if (write) store(baseline, ratios, moved);
  return lines.every(({ isLost }) => !isLost);
}

async function calibration() {
  const server = await start('bench/peers/calibration.mjs', { path: '/' });
  const body = JSON.stringify({ query: 'query($id:ID!){item(id:$id){id}}', variables: { id: 17 } });
  return { server, request: { url: server.address, method: 'POST', headers: { 'content-type': 'application/json' }, body } };
}

/** Returns the minimum ratio of an operation in the last entries of this kind of machine, since its baseline was last moved. */
function bestOf({ entries }, what) {
  const own = entries.filter(({ machine, ratios }) => machine === MACHINE && ratios[what]);
  const since = own.findLastIndex(({ moved }) => moved?.[what]);
  const ratios = own.slice(Math.max(since, own.length - ENTRIES, 0)).map((entry) => entry.ratios[what]);
  return ratios.length > 0 ? Math.min(...ratios) : undefined;
}

/** Reports a loss only if it recurs in all tries: a busy machine can increase the cost of a try, but never reduce it. */
async function measure(ours, unit, request, seconds, best) {
  await load('ours', request, WARM_UP_SECONDS);
  await load('calibration', unit.request, 1);
  let measured;
  for (let tries = 0; tries < TRIES; tries++) {
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) {
      const own = await costOf(ours.pid, 'ours', request, seconds);
      rounds.push(own / (await costOf(unit.server.pid, 'calibration', unit.request, seconds)));
    }
    const found = { median: median(rounds), least: Math.min(...rounds), most: Math.max(...rounds) };
    if (!measured || found.median < measured.median) measured = found;
    if (best === undefined || measured.median <= best * ALLOWED) break;
  }
  return { ...measured, isLost: best !== undefined && measured.median > best * ALLOWED };
}

async function costOf(pid, what, request, seconds) {
  const before = cpuSeconds(pid);
  const { count } = await load(what, request, seconds);
  return (cpuSeconds(pid) - before) / count;
}

function table(lines) {
  const cells = lines.map(({ what, median: now, least, most, best, isLost }) => [
    what,
    now.toFixed(2),
    `${least.toFixed(2)}–${most.toFixed(2)}`,
    best?.toFixed(2) ?? '',
    best ? (now / best).toFixed(2) : '',
    best ? (isLost ? 'LOST' : 'ok') : 'no entry of this machine',
  ]);
  return { header: HEADER, lines: cells, left: new Set(['what', 'outcome']) };
}

function store(baseline, ratios, moved) {
  const commit = execFileSync('git', ['rev-parse', '--short=10', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  const entry = { commit, date: new Date().toISOString().slice(0, 10), machine: MACHINE, ratios };
  if (Object.keys(moved).length > 0) entry.moved = moved;
  const entries = [...baseline.entries.filter((other) => other.commit !== commit || other.machine !== MACHINE), entry];
  writeFileSync(FILE, `${JSON.stringify({ entries }, null, 2)}\n`);
}
