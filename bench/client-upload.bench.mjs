// Uploads a file of 96 MiB from disk to our server with the client's files.upload (clients/js), which creates the file, computes its
// SHA-256 and compares it at the end. Peers: createFile followed by a bare node:http request that pipes the same file, and fetch. The
// sides alternate; a ratio is the median over the rounds. A larger file, sent in parts, has a row without a target. Left out: other
// runtimes, pages, networks with latency, the S3 store, and PostgreSQL.
import { once } from 'node:events';
import { createReadStream, openAsBlob, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { prepareClients } from '../scripts/client.mjs';
import { median, report } from './support/report.mjs';
import { createKey, folder, start } from './support/servers.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const MIB = 1024 * 1024;
const SIZE_MIB = Number(process.env.BENCH_MIB ?? 96);
const TARGET_RATIO = 0.9;

prepareClients();
const { createClient } = await import('../clients/js/dist/index.js');
const path = join(folder, 'content.bin');
writeFileSync(path, Buffer.alloc(SIZE_MIB * MIB, 'some content '));
const key = createKey();
const server = await start('dist/bundle/main.js');
const { files } = createClient({ url: server.address, key });
const place = () => files.createFile({ input: { name: 'content.bin' } }, { id: true, uploadUrl: true });

const ways = {
  client: () => files.upload(path),
  parts: () => files.upload(path, { partsFrom: 0 }),
  http: async () => {
    const { id, uploadUrl } = await place();
    const sending = request(uploadUrl, { method: 'PUT', headers: { 'content-length': SIZE_MIB * MIB }, agent: false });
    const answered = once(sending, 'response');
    await pipeline(createReadStream(path, { highWaterMark: 256 * 1024 }), sending);
    const [response] = await answered;
    response.resume();
    if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
    return { id };
  },
  fetch: async () => {
    const { id, uploadUrl } = await place();
    const response = await fetch(uploadUrl, { method: 'PUT', body: await openAsBlob(path) });
    if (response.status !== 200) throw new Error(`status ${response.status}`);
    return { id };
  },
};

const rounds = [];
for (let round = -1; round < ROUNDS; round++) {
  const seconds = {};
  for (const [name, send] of Object.entries(ways)) {
    const startedAt = performance.now();
    const { id } = await send();
    seconds[name] = (performance.now() - startedAt) / 1000;
    await files.deleteFile({ id }, { id: true });
  }
  if (round >= 0) rounds.push(seconds); // the first one warms up
}
report(`client-upload: MiB/s of a file of ${SIZE_MIB} MiB, peer a bare request to the same server`, [
  row('one request, against node:http', 'client', 'http', TARGET_RATIO),
  row('one request, against fetch', 'client', 'fetch', TARGET_RATIO),
  row('in parts, against node:http', 'parts', 'http'),
]);
await server.stop();

function row(what, own, peer, target) {
  const rate = (name) => median(rounds.map((seconds) => SIZE_MIB / seconds[name])).toFixed(0);
  const ratio = median(rounds.map((seconds) => seconds[peer] / seconds[own]));
  const figures = { what, ours: rate(own), peer: rate(peer), ratio: ratio.toFixed(2) };
  return target === undefined ? figures : { ...figures, target: `>= ${target}`, met: ratio >= target };
}
