// Broadcast servers compared by benches: ours, a bare ws loop, Socket.IO and nginx's Nchan module (if installed). The clients of each
// run in a separate process.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { GraphqlApi } from './graphql-api.mjs';
import { cpuSeconds, cpuSecondsOfAll, descendants } from './process-usage.mjs';
import { skip } from './report.mjs';
import { createKey, folder, freePort, start } from './servers.mjs';
import { register, Sockets } from './sockets.mjs';

export const CONNECTIONS = Number(process.env.BENCH_CONNECTIONS ?? 5_000);
const MESSAGE = 'x'.repeat(200);
const WITHOUT_RECORDS = fileURLToPath(new URL('./without-records.mjs', import.meta.url));
const PUSH_GLOBAL = 'mutation($message:String!){pushGlobalMessage(input:{message:$message}){id}}';
const NCHAN = '/usr/lib/nginx/modules/ngx_nchan_module.so';
/** Omits the records behind the sockets, since the peers have none. */
export const withoutRecords = { NODE_OPTIONS: `--import ${WITHOUT_RECORDS}` };

export async function startOurs(name, settings = {}) {
  const data = { WEBSOCKET_MAX_CONNECTIONS_PER_TENANT: '20000', ...settings, DATA_DIR: join(folder, name) };
  const server = await start('dist/main.js', data);
  const { NODE_OPTIONS: _, ...forKeys } = data;
  const api = new GraphqlApi(server.address, 'websockets-manager', createKey(forKeys));
  return { ...server, api, settings: data };
}

/** Our server as a broadcaster; `push` sends the given number of messages at once. */
export async function ourBroadcaster(name, settings) {
  const { api, pid, stop } = await startOurs(name, settings);
  const sockets = new Sockets();
  await sockets.open(await register(api, CONNECTIONS));
  const push = (count) => Promise.all(Array.from({ length: count }, () => api.ask(PUSH_GLOBAL, { message: MESSAGE })));
  return { api, sockets, cpu: () => cpuSeconds(pid), push, stop };
}

/** Peers by name. */
export async function peerBroadcasters() {
  const burst = (address, count) => fetch(`${address}/burst?count=${count}`);
  const peers = {
    'bare ws': await peer('bare-ws', { uri: (address) => `${address}/`, push: burst }),
    'Socket.IO': await peer('socket-io', {
      uri: (address) => `${address}/socket.io/?EIO=4&transport=websocket`,
      protocol: 'socket.io',
      push: burst,
    }),
  };
  if (existsSync(NCHAN)) {
    const publish = (address, count) =>
      Promise.all(Array.from({ length: count }, () => fetch(`${address}/pub`, { method: 'POST', body: MESSAGE })));
    const settings = { DATA_DIR: folder };
    peers.Nchan = await peer('nchan', { uri: (address) => `${address}/sub`, push: publish, settings, cpuOf: cpuSecondsOfAll });
  } else {
    skip('the comparison with Nchan, since nginx has no Nchan module here');
  }
  return peers;
}

/** Peers whose clients confirm each message, by name. They store nothing. */
export async function confirmingPeers() {
  const peers = {
    'Socket.IO, emitWithAck': await peer('socket-io', {
      uri: (address) => `${address}/socket.io/?EIO=4&transport=websocket`,
      protocol: 'socket.io',
      push: (address, count) => fetch(`${address}/confirmed?count=${count}`),
    }),
  };
  if (spawnSync('mosquitto', ['-h']).error) skip('the comparison with mosquitto, which is not installed');
  else peers['mosquitto, QoS 1'] = await mosquitto();
  return peers;
}

async function mosquitto() {
  const port = await freePort();
  return peer('mosquitto', {
    uri: () => `mqtt://127.0.0.1:${port}`,
    protocol: 'mqtt',
    push: (address, count) => fetch(`${address}/burst?count=${count}`),
    settings: { DATA_DIR: folder, MQTT_PORT: String(port), path: '/' },
    cpuOf: (pid) => descendants(pid).reduce((sum, one) => sum + cpuSeconds(one), 0),
  });
}

async function peer(program, { uri, protocol, push, settings = {}, cpuOf = cpuSeconds }) {
  const server = await start(`bench/peers/${program}.mjs`, settings);
  const sockets = new Sockets(protocol);
  await sockets.open(Array.from({ length: CONNECTIONS }, () => uri(server.address)));
  const cpu = () => cpuOf(server.pid);
  return { sockets, cpu, push: (count) => push(server.address, count), stop: server.stop };
}

export async function closeAll(sides) {
  for (const { sockets, stop } of Object.values(sides)) {
    sockets.close();
    await stop();
  }
}

/** Waits until a server is idle, to include deferred work. */
export async function quiet(cpu) {
  for (let last = cpu(), still = 0; still < 2;) {
    await delay(250);
    const now = cpu();
    still = now - last <= 0.01 ? still + 1 : 0;
    last = now;
  }
}

export function micros(seconds) {
  return `${(seconds * 1e6).toFixed(1)} µs`;
}
