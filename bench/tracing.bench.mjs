// Processor time of a request while traces are exported, compared with a node without a collector: `version`, `file(ID)` and
// `createFile`, with every request recorded and with one in a hundred. All nodes alternate in one run; a ratio is the median over the
// rounds. Metrics are exported in both cases. On SQLite. Left out: the collector, which runs in the load generator's process;
// PostgreSQL, an S3 store, Redis and mails, with spans as expensive as those of statements; memory.
import { createServer } from 'node:http';
import { join } from 'node:path';
import { FilesApi, READ_FILE } from './support/files-api.mjs';
import { GraphqlApi } from './support/graphql-api.mjs';
import { canMeasure, cpuSeconds } from './support/process-usage.mjs';
import { median, report, skip } from './support/report.mjs';
import { createKey, folder, start } from './support/servers.mjs';
import { upload } from './support/transfers.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const CONNECTIONS = 50;
const CREATE = 'mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl}}';
/** Maximum cost of sampling one request in a hundred. */
const TARGET = 1.25;

if (!canMeasure) {
  skip('tracing, since processor time is read from /proc, which is not here');
  process.exit(0);
}
const collector = await takeAndForget();
const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
const sides = {
  off: await serve('off', {}),
  some: await serve('some', { ...endpoint, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.01' }),
  all: await serve('all', endpoint),
};
const rows = [];
for (const what of ['version', 'file(ID)', 'createFile']) rows.push(...rowsOf(what, await takeTurns(what)));
for (const { stop } of Object.values(sides)) await stop();
await collector.stop();
report(
  `tracing: processor time of a request in microseconds, against a node without a collector, ${CONNECTIONS} connections`,
  rows,
);

async function serve(name, given) {
  const settings = { DATA_DIR: join(folder, name), ...given };
  const server = await start('dist/bundle/main.js', settings);
  const key = createKey({ DATA_DIR: settings.DATA_DIR });
  const files = new FilesApi(server.address, key);
  const { id, uploadUrl } = await files.create({ name: 'invoice.pdf' });
  await upload(uploadUrl, 1_000);
  const operations = {
    version: { query: '{version}' },
    'file(ID)': { query: READ_FILE, variables: { id } },
    createFile: { query: CREATE, variables: { input: { name: 'invoice.pdf' } } },
  };
  return { ...server, operations, api: new GraphqlApi(server.address, 'file-management', key) };
}

/** Returns the microseconds of a request for each round and side. */
async function takeTurns(what) {
  const rounds = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const costs = {};
    for (const [name, { api, pid, operations }] of Object.entries(sides)) {
      const before = cpuSeconds(pid);
      const { requests } = await api.load(operations[what], { connections: CONNECTIONS, seconds: SECONDS });
      costs[name] = ((cpuSeconds(pid) - before) / requests.total) * 1e6;
    }
    if (round > 0) rounds.push(costs); // the first one warms up
  }
  return rounds;
}

function rowsOf(what, rounds) {
  const of = (side) => median(rounds.map((costs) => costs[side]));
  const ratio = (side) => median(rounds.map((costs) => costs[side] / costs.off));
  const row = (side, how) => ({
    what: `${what}, ${how}`,
    ours: of(side).toFixed(0),
    peer: of('off').toFixed(0),
    ratio: ratio(side).toFixed(2),
  });
  const some = ratio('some');
  return [
    row('all', 'every request recorded'),
    { ...row('some', 'one in a hundred'), target: `< ${TARGET}`, met: some < TARGET },
  ];
}

async function takeAndForget() {
  const server = createServer((request, response) => request.resume().once('end', () => response.writeHead(200).end()));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => (server.closeAllConnections(), server.close()) };
}
