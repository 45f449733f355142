// Broadcasts of 200 bytes to many connections, in bursts: processor time per delivery and deliveries per second, compared with a bare
// ws loop, Socket.IO and nginx's Nchan module (if installed). Ours confirms every delivery, the others do not. The clients run in
// separate processes. The cost of the records behind the sockets is printed separately. Then pushes to one recipient, the time from
// push to frame (with TEST_REDIS_URL also across two nodes), and the memory of an idle connection, alone and with topics and presence. Left out: TLS, compression, slow
// readers, reconnects, and the network: clients and server share one machine.
import { WebSocket } from 'ws';
import {
  closeAll,
  CONNECTIONS,
  micros,
  ourBroadcaster,
  peerBroadcasters,
  quiet,
  startOurs,
  withoutRecords,
} from './support/broadcasters.mjs';
import { GraphqlApi } from './support/graphql-api.mjs';
import { databases } from './support/postgres.mjs';
import { inspected } from './support/inspected.mjs';
import { median, report, skip } from './support/report.mjs';
import { register, Sockets } from './support/sockets.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const BURST = 20;
const CALLERS = 50;
const LATENCIES = 200;
const IDLE = Number(process.env.BENCH_IDLE ?? 10_000);
/** Topics of a connection, and connections of a topic. */
const TOPICS = 20;
const SHARED = 5;
const RECORDED_US = 15;
const IDLE_KB = 12;
const WITH_TOPICS_KB = 8;
const PUSH = 'mutation($message:String!){pushMessage(input:{recipients:["ann"],message:$message}){error{message}}}';
const ALONE = { what: 'process memory per connection', targetKb: IDLE_KB };
const WITH_TOPICS = {
  what: `the same with ${TOPICS} topics, each of ${SHARED} connections, and presence`,
  targetKb: WITH_TOPICS_KB,
  fieldsOf: (index) => {
    const topics = Array.from({ length: TOPICS }, (_, topic) => `"room/${Math.floor(index / SHARED)}/${topic}"`);
    return `,presence:true,topics:[${topics}]`;
  },
};
const wanted = new Set((process.env.BENCH_PARTS ?? 'broadcast,records,push,idle').split(','));

if (wanted.has('broadcast')) await broadcasts();
if (wanted.has('records'))
  report(`push: processor time per delivery with its record, and deliveries per second`, await records());
if (wanted.has('push')) report('push: to one recipient', await pushes());
if (wanted.has('idle')) report(`push: ${IDLE} idle connections`, [await idle(ALONE), await idle(WITH_TOPICS)]);

async function broadcasts() {
  const sides = { ours: await ourBroadcaster('broadcast', withoutRecords), ...(await peerBroadcasters()) };
  const measured = await takeTurns(sides);
  const { ours, ...peers } = measured;
  const rows = Object.entries(peers).flatMap(([name, theirs]) => [
    {
      what: `processor time per delivery, peer ${name}`,
      ours: micros(ours.cpu),
      peer: micros(theirs.cpu),
      ratio: (theirs.cpu / ours.cpu).toFixed(2),
      target: '> 1',
      met: theirs.cpu > ours.cpu,
    },
    {
      what: `deliveries per second, peer ${name}`,
      ours: ours.rate.toFixed(0),
      peer: theirs.rate.toFixed(0),
      ratio: (ours.rate / theirs.rate).toFixed(2),
      target: '> 1',
      met: ours.rate > theirs.rate,
    },
  ]);
  report(`push: bursts of ${BURST} messages of 200 bytes to ${CONNECTIONS} connections, confirmed (ours only)`, rows);
}

async function records() {
  const rows = [];
  for (const { name, create } of databases) {
    const database = await create();
    const { ours } = await takeTurns({ ours: await ourBroadcaster(`records-${name}`, database.settings) });
    await database.drop();
    rows.push({
      what: name,
      ours: `${micros(ours.cpu)}, ${ours.rate.toFixed(0)}/s`,
      target: `< ${RECORDED_US} µs`,
      met: ours.cpu * 1e6 < RECORDED_US,
    });
  }
  return rows;
}

/** Runs one burst per side in each round. Reads the processor time once all is quiet, to include deferred work. */
async function takeTurns(sides) {
  const measured = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, { sockets, cpu, push }] of Object.entries(sides)) {
      const before = cpu();
      const seconds = await sockets.receive(BURST, () => push(BURST));
      await quiet(cpu);
      const deliveries = BURST * CONNECTIONS;
      if (round >= 0) measured[name].push({ cpu: (cpu() - before) / deliveries, rate: deliveries / seconds });
    }
  }
  await closeAll(sides);
  const middle = (rounds, what) => median(rounds.map((round) => round[what]));
  return Object.fromEntries(
    Object.entries(measured).map(([name, rounds]) => [name, { cpu: middle(rounds, 'cpu'), rate: middle(rounds, 'rate') }]),
  );
}

async function pushes() {
  const rows = [];
  for (const { name, create } of databases) {
    const database = await create();
    const ours = await startOurs(`push-${name}`, database.settings);
    const client = await connectAnn(ours.api);
    const target = name === 'SQLite' ? 0.5 : 0.35;
    const load = { connections: CALLERS, seconds: SECONDS };
    const version = { query: '{version}' };
    const push = { query: PUSH, variables: { message: 'x'.repeat(200) } };
    await ours.api.load(push, { ...load, seconds: 2 });
    const rates = [];
    for (let round = 0; round < 3; round++) {
      const own = (await ours.api.load(push, load)).requests.average;
      const bare = (await ours.api.load(version, load)).requests.average;
      rates.push({ own, bare, ratio: own / bare });
    }
    const middle = (what) => median(rates.map((rate) => rate[what]));
    rows.push({
      what: `${name}: requests per second, peer version`,
      ours: middle('own').toFixed(0),
      peer: middle('bare').toFixed(0),
      ratio: middle('ratio').toFixed(2),
      target: `>= ${target}`,
      met: middle('ratio') >= target,
    });
    rows.push(latencyRow(`${name}: median time from push to frame`, await latency(ours.api, client), 10));
    client.terminate();
    if (process.env.TEST_REDIS_URL && name === 'PostgreSQL') rows.push(await acrossNodes(ours, database));
    else if (name === 'PostgreSQL') skip('pushes across two nodes, since TEST_REDIS_URL is not set');
    await ours.stop();
    await database.drop();
  }
  return rows;
}

/** Pushes through one node to a recipient on another. */
async function acrossNodes(single, database) {
  const settings = { ...database.settings, REDIS_URL: process.env.TEST_REDIS_URL };
  const nodes = [await startOurs('node-a', settings), await startOurs('node-b', settings)];
  const [a, b] = nodes.map(({ address }) => new GraphqlApi(address, 'websockets-manager', single.api.headers['x-api-key']));
  const client = await connectAnn(a);
  const ms = await latency(b, client);
  client.terminate();
  for (const { stop } of nodes) await stop();
  return latencyRow('across two nodes over Redis: median time from push to frame', ms, 20);
}

function latencyRow(what, ms, target) {
  return { what, ours: `${ms.toFixed(1)} ms`, target: `< ${target} ms`, met: ms < target };
}

async function latency(api, client) {
  const times = [];
  for (let index = 0; index < LATENCIES; index++) {
    const begun = performance.now();
    const arrived = new Promise((resolve) => client.once('message', () => resolve(performance.now() - begun)));
    const [ms] = await Promise.all([arrived, api.ask(PUSH, { message: `m${index}` })]);
    times.push(ms);
  }
  return median(times);
}

async function connectAnn(api) {
  const { registerRecipient } = await api.ask('mutation{registerRecipient(input:{recipient:"ann"}){connectionUri}}');
  const client = new WebSocket(registerRecipient.connectionUri, { perMessageDeflate: false });
  await new Promise((resolve, reject) => client.once('open', resolve).once('error', reject));
  return client;
}

async function idle({ what, targetKb, fieldsOf }) {
  const { settings, heldMib } = await inspected();
  const ours = await startOurs(`idle-${targetKb}`, settings);
  const uris = await register(ours.api, IDLE, fieldsOf);
  const sockets = new Sockets();
  const before = await heldMib(ours.pid);
  await sockets.open(uris);
  const kb = ((await heldMib(ours.pid)) - before) * (1024 / IDLE);
  sockets.close();
  await ours.stop();
  return { what, ours: `${kb.toFixed(1)} KB`, target: `< ${targetKb} KB`, met: kb < targetKb };
}
