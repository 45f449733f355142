// Processor time and memory of an idle node on SQLite with default settings: without connections, and with 2,000 WebSockets that carry
// only heartbeats. Processor time includes the render process. Left out: memory of the render process and of the kernel, workers,
// PostgreSQL, and Redis.
import { setTimeout as delay } from 'node:timers/promises';
import { Crowd } from './support/crowd.mjs';
import { GraphqlApi } from './support/graphql-api.mjs';
import { canMeasure, cpuSecondsOfAll, residentMib } from './support/process-usage.mjs';
import { report, skip } from './support/report.mjs';
import { createKey, start } from './support/servers.mjs';
import { register } from './support/sockets.mjs';

const SOCKETS = 2_000;
/** Time after which V8 has freed the memory of the startup. */
const SETTLED_SECONDS = 110;
/** Two heartbeat intervals. */
const MEASURED_SECONDS = 50;
const TARGETS = { msPerSecond: 3, msPerSecondWithSockets: 6, mib: 160 };

if (canMeasure) report(`idle: ms of processor time a second, memory, ${SOCKETS} sockets`, await rows());
else skip('idle, which needs Linux');

async function rows() {
  const server = await start('dist/bundle/main.js');
  const alone = await usage(server);
  const api = new GraphqlApi(server.address, 'websockets-manager', createKey());
  const crowd = new Crowd(await register(api, SOCKETS));
  await crowd.open();
  const connected = await usage(server);
  crowd.close();
  await server.stop();
  return [
    row('processor time, ms/s', alone.msPerSecond, TARGETS.msPerSecond),
    row('resident memory, MiB', alone.mib, TARGETS.mib),
    row('processor time with sockets, ms/s', connected.msPerSecond, TARGETS.msPerSecondWithSockets),
    { what: 'resident memory with sockets, MiB', ours: connected.mib.toFixed(0) },
  ];
}

async function usage({ pid }) {
  await delay(SETTLED_SECONDS * 1_000);
  const before = cpuSecondsOfAll(pid);
  await delay(MEASURED_SECONDS * 1_000);
  return { msPerSecond: ((cpuSecondsOfAll(pid) - before) * 1_000) / MEASURED_SECONDS, mib: residentMib(pid) };
}

function row(what, figure, target) {
  return { what, ours: figure.toFixed(1), target: `<= ${target}`, met: figure <= target };
}
