// Broadcasts of 200 bytes to many connections, one message at a time, once and ten times a second: processor time per delivery,
// compared with a bare ws loop, Socket.IO and nginx's Nchan module (if installed). Ours confirms every delivery, the others do not.
// Then with records, on each database: also the times from push to frame and from push to DELIVERED. Then beside peers whose clients
// confirm too, Socket.IO with emitWithAck and mosquitto with QoS 1 (if installed): ours stores a row for each delivery, they store
// nothing. Left out: TLS, compression, slow
// readers, reconnects, and the network: clients and server share one machine.
import { setTimeout as delay } from 'node:timers/promises';
import {
  closeAll,
  confirmingPeers,
  CONNECTIONS,
  micros,
  ourBroadcaster,
  peerBroadcasters,
  quiet,
  withoutRecords,
} from './support/broadcasters.mjs';
import { databases } from './support/postgres.mjs';
import { median, report } from './support/report.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
/** Broadcasts per second, with the minimum ratio to bare ws. */
const RATES = [
  { perSecond: 1, target: 0.9 },
  { perSecond: 10, target: 1.2 },
];
/** Maximum processor time of a confirmed delivery with its record. */
const CONFIRMED_US = 25;
const MESSAGES =
  'query($id:ID,$after:String){messages(filter:{globalMessageId:$id},limit:1000,nextToken:$after){items{createdAt deliveredAt} nextToken}}';
const wanted = new Set((process.env.BENCH_PARTS ?? 'peers,records,confirmed').split(','));

if (wanted.has('peers')) await besidePeers();
if (wanted.has('records')) report(`push: one message at a time to ${CONNECTIONS} connections, with records`, await withRecords());
if (wanted.has('confirmed')) await besideConfirmingPeers();

async function besidePeers() {
  const sides = { ours: await ourBroadcaster('singly', withoutRecords), ...(await peerBroadcasters()) };
  report('push: processor time in a second without a push', [{ what: 'peer bare ws', ...(await idle(sides)) }]);
  for (const { perSecond, target } of RATES) {
    const measured = await takeTurns(sides, perSecond);
    const { ours, ...peers } = measured;
    const rows = Object.entries(peers).map(([name, theirs]) => ({
      what: `processor time per delivery, peer ${name}`,
      ours: micros(ours),
      peer: micros(theirs),
      ratio: (theirs / ours).toFixed(2),
      ...(name === 'bare ws' && { target: `>= ${target}`, met: theirs / ours >= target }),
    }));
    report(`push: ${perSecond} a second of 200 bytes to ${CONNECTIONS} connections, confirmed (ours only)`, rows);
  }
  await closeAll(sides);
}

async function besideConfirmingPeers() {
  const [peers, created] = [await confirmingPeers(), []];
  const sides = { ...peers };
  for (const { name, create } of databases) {
    const database = await create();
    created.push(database);
    sides[name] = await ourBroadcaster(`confirmed-${name}`, database.settings);
  }
  const measured = await takeTurns(sides, 1);
  const rows = databases.flatMap(({ name }) =>
    Object.keys(peers).map((peer) => ({
      what: `${name}, a row stored for each; peer ${peer}, nothing stored`,
      ours: micros(measured[name]),
      peer: micros(measured[peer]),
      ratio: (measured[peer] / measured[name]).toFixed(2),
      target: `<= ${CONFIRMED_US} µs`,
      met: measured[name] * 1e6 <= CONFIRMED_US,
    })),
  );
  report(`push: one a second of 200 bytes to ${CONNECTIONS} connections, all confirming, processor time a delivery`, rows);
  await closeAll(sides);
  for (const { drop } of created) await drop();
}

/** Measures heartbeats and background work, which are included in the times per delivery. */
async function idle({ ours, 'bare ws': bare }) {
  const before = [ours.cpu(), bare.cpu()];
  await delay(SECONDS * 1_000);
  const [own, peer] = [ours, bare].map(({ cpu }, index) => `${(((cpu() - before[index]) * 1_000) / SECONDS).toFixed(0)} ms`);
  return { ours: own, peer };
}

/** Returns the processor time per delivery of each side, which broadcast alternately, round after round. */
async function takeTurns(sides, perSecond) {
  const measured = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, side] of Object.entries(sides)) {
      const { cpu } = await broadcast(side, perSecond, round < 0 ? 2 : SECONDS);
      if (round >= 0) measured[name].push(cpu);
    }
  }
  return Object.fromEntries(Object.entries(measured).map(([name, rounds]) => [name, median(rounds)]));
}

/** Sends messages at a fixed rate, each only after the previous one has arrived everywhere. */
async function broadcast({ sockets, cpu, push }, perSecond, seconds) {
  const before = cpu();
  const begun = performance.now();
  const count = perSecond * seconds;
  const [pushed, arrivals] = [[], []];
  for (let sent = 0; sent < count; sent++) {
    await delay(Math.max(0, begun + (sent * 1_000) / perSecond - performance.now()));
    arrivals.push(...(await sockets.arrivals(async () => pushed.push(await push(1)))));
  }
  await quiet(cpu);
  return { cpu: (cpu() - before) / (count * CONNECTIONS), pushed, arrivals };
}

async function withRecords() {
  const rows = [];
  for (const { name, create } of databases) {
    const database = await create();
    const ours = await ourBroadcaster(`singly-${name}`, database.settings);
    for (const { perSecond } of RATES) {
      await broadcast(ours, perSecond, 2);
      const { cpu, pushed, arrivals } = await broadcast(ours, perSecond, SECONDS);
      const what = `${name}, ${perSecond} a second`;
      rows.push({ what: `${what}: processor time per delivery`, ours: micros(cpu) });
      rows.push({ what: `${what}: push to frame, median and p99`, ours: times(arrivals) });
      rows.push({ what: `${what}: push to DELIVERED, median and p99`, ours: times(await deliveryTimes(ours.api, pushed)) });
    }
    await closeAll({ ours });
    await database.drop();
  }
  return rows;
}

/** Returns the milliseconds from push to DELIVERED of every message. All must be delivered. */
async function deliveryTimes(api, pushed) {
  const all = [];
  for (const [{ pushGlobalMessage }] of pushed) {
    let some = [];
    for (let tries = 0; some.length < CONNECTIONS; tries++) {
      if (tries > 20) throw new Error(`${some.length} of ${CONNECTIONS} messages were delivered`);
      if (tries > 0) await delay(500);
      some = (await itemsOf(api, pushGlobalMessage.id)).filter(({ deliveredAt }) => deliveredAt !== null);
    }
    all.push(...some.map(({ createdAt, deliveredAt }) => Date.parse(deliveredAt) - Date.parse(createdAt)));
  }
  return all;
}

async function itemsOf(api, id) {
  const items = [];
  for (let after = null; ;) {
    const { messages } = await api.ask(MESSAGES, { id, after });
    items.push(...messages.items);
    if (!messages.nextToken) return items;
    after = messages.nextToken;
  }
}

function times(all) {
  const sorted = Float64Array.from(all).sort();
  const at = (share) => sorted[Math.floor(sorted.length * share)].toFixed(0);
  return `${at(0.5)} ms, ${at(0.99)} ms`;
}
