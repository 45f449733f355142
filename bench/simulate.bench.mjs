// Prediction of the simulation (simulate.mjs) beside the measurement: two and three nodes, each held to a quarter of a core by the kernel,
// behind one PostgreSQL, with one mix of reads, writes and renderings. The simulation knows the processor time of each operation on one
// node without a limit, with one caller and with many, and that of the mix on one limited node; nothing of two or three. Compared are the
// throughput at saturation, and processor time and latencies where the simulated nodes use 60 % of their limits. Needs root and control
// groups of version 1. Left out: a target for the 99th percentile, which other work of the machine decides; pushes, mails and transfers;
// the processor time of Redis and of the callers; workers; collections of garbage; a saturated database.
import { quantile, simulate } from './simulate.mjs';
import { canLimit, limit, precede } from './support/core-limits.mjs';
import { FilesApi } from './support/files-api.mjs';
import { Installation, missing } from './support/installation.mjs';
import { MixedCallers } from './support/mixed-callers.mjs';
import { calibrated, serviceTimes } from './support/service-times.mjs';
import { asking, OPERATIONS } from './support/operations.mjs';
import { median, report, skip } from './support/report.mjs';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const NODES = [2, 3];
const LIMIT = { cores: 0.25, periodMs: 100 };
/** Cores of the machine that are left to PostgreSQL, and connections of a node to it. */
const DATABASE = { cores: 2 };
const CONNECTIONS = 20;
const CALLERS = 24;
const USE = 0.6;
const ALLOWED = 0.2;
const SIMULATED_SECONDS = 20;
const SEARCH_STEPS = 9;
const WARM_UP_CALLS = 15_000;
const MOST_WARM_UPS = 30;
const PAGE = 25;
const FILES =
  'query($limit:Int){files(limit:$limit){items{id name comment status contentType contentLength createdAt} nextToken}}';
const MIX = { file: 0.5, files: 0.05, createFile: 0.15, createLog: 0.15, render: 0.15 };
/** Operations whose calls share statements. */
const GROUPS = {
  createFile: { atOnce: 4, intervalMs: 5 },
  createLog: { atOnce: 4, intervalMs: 5 },
  render: { atOnce: 8, intervalMs: 0 },
};

if (missing || !canLimit) {
  skip(`simulate, which needs ${missing ?? 'root and control groups of version 1'}`);
  process.exit(0);
}
precede();
const installation = await Installation.start();
await installation.addNode();
const mix = await prepared();
const costs = [];
for (const operation of mix) costs.push({ ...operation, ...(await measuredOnOne(operation)) });
report(`simulate: ms of processor time of a node + PostgreSQL, ${CALLERS} callers, with one as peer`, costs.map(costRow));
limit('node-1', installation.nodes[0].pid, LIMIT);
const known = await knownTimes();
const rows = [];
for (const count of NODES) {
  while (installation.nodes.length < count) await addLimited();
  rows.push(...(await compare(count)));
}
report(`simulate: prediction, with the measurement as peer; each node has ${LIMIT.cores} of a core`, rows);
await installation.stop();

async function prepared() {
  const [{ address }] = installation.nodes;
  const server = { address, key: installation.key, beforeStop: () => undefined };
  for (let made = 0; made < PAGE; made++) await new FilesApi(address, server.key).create({ name: `f${made}` });
  const special = { files: () => asking(server, 'file-management', FILES, { limit: PAGE }) };
  const operations = [];
  for (const [name, share] of Object.entries(MIX)) {
    const { url, headers, body } = await (special[name] ?? OPERATIONS[name])(server);
    const call = { path: new URL(url).pathname, headers, body: Buffer.from(body) };
    operations.push({ name, share, group: GROUPS[name], request: call });
  }
  return operations;
}

function callersOf(operations, nodes = installation.nodes) {
  return new MixedCallers(
    nodes.map(({ address }) => address),
    operations,
  );
}

async function warmUp(callers) {
  for (let times = 0, calls = 0; times < MOST_WARM_UPS && calls < WARM_UP_CALLS; times++) {
    calls += (await callers.closed(CALLERS, 1)).perSecond;
  }
}

/** Returns the processor time of an operation on one node without a limit, in ms, and the time beyond it of a call alone. */
async function measuredOnOne(operation) {
  const callers = callersOf([operation]);
  await warmUp(callers);
  const together = await medianCost(callers, CALLERS);
  const alone = await medianCost(callers, 1);
  const { times } = await callers.closed(1, 2);
  return { together, alone, delay: Math.max(0, quantile(times, 0.5) - alone.node - alone.postgres) };
}

async function medianCost(callers, count, seconds = SECONDS / 4) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push(await installation.costOf(async () => (await callers.closed(count, seconds)).times.length));
  }
  const middle = (part) => median(rounds.map((cost) => cost[part])) / 1_000;
  return { node: middle('node'), postgres: middle('postgres') };
}

/** Fits the service times to the costs of each operation, then to the cost of the mix on one limited node. */
async function knownTimes() {
  const fixed = { callers: CALLERS, database: DATABASE, connections: CONNECTIONS };
  const times = serviceTimes(costs, fixed);
  const callers = callersOf(mix);
  await callers.closed(CALLERS, 2);
  const measured = await medianCost(callers, CALLERS, SECONDS);
  const found = calibrated(times, measured, { ...fixed, nodes: 1, node: LIMIT, seconds: 20 });
  const { node, postgres } = found.factor;
  report('simulate: processor time of a call of the mix on one limited node, by that of its operations alone', [
    { what: 'node', ours: measured.node.toFixed(3), peer: (measured.node / node).toFixed(3), ratio: node.toFixed(2) },
    {
      what: 'PostgreSQL',
      ours: measured.postgres.toFixed(3),
      peer: (measured.postgres / postgres).toFixed(3),
      ratio: postgres.toFixed(2),
    },
  ]);
  return found;
}

async function addLimited() {
  const node = await installation.addNode();
  await warmUp(callersOf(mix, [node]));
  limit(`node-${installation.nodes.length}`, node.pid, LIMIT);
}

async function compare(nodes) {
  const callers = callersOf(mix);
  const node = { ...LIMIT, turnMs: known.turnMs };
  const settings = { nodes, node, database: DATABASE, connections: CONNECTIONS, mix: known.mix, seconds: SIMULATED_SECONDS };
  const saturated = simulate({ ...settings, callers: CALLERS * nodes });
  const perSecond = rateOf(settings, saturated.perSecond);
  const used = simulate({ ...settings, perSecond });
  const full = await repeated(() => callers.closed(CALLERS * nodes, SECONDS));
  const partly = await repeated(() => callers.open(perSecond, SECONDS));
  const what = `${nodes} nodes at ${perSecond.toFixed(0)} a second`;
  const at = (share) => median(partly.runs.map(({ times }) => quantile(times, share)));
  return [
    row(`${nodes} nodes, most requests a second`, saturated.perSecond, median(full.runs.map((run) => run.perSecond)), 0),
    row(`${nodes} nodes, cores of PostgreSQL then`, (saturated.used.postgres * saturated.perSecond) / 1_000, full.postgres, 2),
    row(`${what}, cores of the nodes`, (used.used.node * perSecond) / 1_000, partly.node, 2),
    row(`${what}, median in ms`, quantile(used.times, 0.5), at(0.5), 2),
    row(`${what}, 99th percentile in ms`, quantile(used.times, 0.99), at(0.99), 1, false),
  ];
}

/** Returns the rate at which simulated nodes use the share USE of their limits. A call costs more then than at saturation. */
function rateOf(settings, saturated) {
  const wanted = USE * LIMIT.cores * settings.nodes;
  let [low, high] = [0, saturated];
  for (let step = 0; step < SEARCH_STEPS; step++) {
    const perSecond = (low + high) / 2;
    const { used } = simulate({ ...settings, perSecond });
    if ((used.node * perSecond) / 1_000 < wanted) low = perSecond;
    else high = perSecond;
  }
  return low;
}

/** Returns what each of some runs resolved to, and the cores in use meanwhile. */
async function repeated(run) {
  await run();
  const runs = [];
  const cores = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [before, startedAt] = [installation.usage(), performance.now()];
    runs.push(await run());
    const [after, seconds] = [installation.usage(), (performance.now() - startedAt) / 1_000];
    cores.push({ node: (after.node - before.node) / seconds, postgres: (after.postgres - before.postgres) / seconds });
  }
  return { runs, node: median(cores.map(({ node }) => node)), postgres: median(cores.map(({ postgres }) => postgres)) };
}

function costRow({ name, share, together, alone }) {
  const text = ({ node, postgres }) => `${node.toFixed(3)} + ${postgres.toFixed(3)}`;
  return { what: `${name}, ${Math.round(share * 100)} % of calls`, ours: text(together), peer: text(alone) };
}

function row(what, predicted, measured, digits, isJudged = true) {
  const ratio = predicted / measured;
  const judgement = { target: `${1 - ALLOWED} to ${1 + ALLOWED}`, met: Math.abs(ratio - 1) <= ALLOWED };
  const texts = { ours: predicted.toFixed(digits), peer: measured.toFixed(digits), ratio: ratio.toFixed(2) };
  return { what, ...texts, ...(isJudged && judgement) };
}
