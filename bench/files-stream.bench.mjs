// Transfers of 1 GiB through our signed URLs, compared with a bare Node HTTP server that pipes to and from the same disk. The sides
// alternate; a ratio is the median over the rounds. BENCH_MIB=64 makes a quick trial run. Left out: concurrent transfers, slow clients,
// the S3 store, uploads in parts, ranges, and PostgreSQL.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FilesApi } from './support/files-api.mjs';
import { canMeasure, cpuSeconds, residentMib, resetPeak } from './support/process-usage.mjs';
import { median, report } from './support/report.mjs';
import { createKey, folder, start } from './support/servers.mjs';
import { download, upload } from './support/transfers.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SIZE_MIB = Number(process.env.BENCH_MIB ?? 1024);
const SIZE_BYTES = SIZE_MIB * 1024 * 1024;
const WARM_UP_BYTES = 1024 * 1024;
const TARGET_RATIO = 0.7;
const TARGET_RATIO_HASHING = 0.6;
const TARGET_GROWTH_MIB = 100;

const peerDir = join(folder, 'peer');
mkdirSync(peerDir);
const key = createKey();
const [ours, peer] = await Promise.all([start('dist/bundle/main.js'), start('bench/peers/bare-http.mjs', { DATA_DIR: peerDir })]);

const candidates = {
  ours: { server: ours, place: placeAtOurs(new FilesApi(ours.address, key)) },
  peer: { server: peer, place: placeAtPeer('') },
  hashing: { server: peer, place: placeAtPeer('?hashed') },
  unsynced: { server: peer, place: placeAtPeer('?unsynced') },
};
for (const candidate of Object.values(candidates)) {
  await transferBothWays(candidate, WARM_UP_BYTES);
  candidate.restMib = canMeasure ? residentMib(candidate.server.pid) : 0;
}
const rounds = [];
for (let round = 0; round < ROUNDS; round++) {
  const measured = {};
  for (const [name, candidate] of Object.entries(candidates)) measured[name] = await transferBothWays(candidate, SIZE_BYTES);
  rounds.push(measured);
}
report(`files-stream: ${SIZE_MIB} MiB of content, peer a bare Node http server`, [
  throughput('upload'),
  throughput('upload', 'hashing', TARGET_RATIO_HASHING),
  throughput('upload', 'unsynced'),
  throughput('download'),
  ...(canMeasure ? ['upload', 'download'].flatMap((way) => [growth(way), processorTime(way)]) : []),
]);
await Promise.all([ours.stop(), peer.stop()]);

/** Returns how to upload, download and remove content, at a new URL each time. */
function placeAtOurs(api) {
  return async () => {
    const { id, uploadUrl } = await api.create({ name: 'content.bin' });
    return { uploadUrl, downloadUrl: async () => (await api.read(id)).downloadUrl, remove: () => api.delete(id) };
  };
}

function placeAtPeer(query) {
  return async () => {
    const url = `${peer.address}/content`;
    return { uploadUrl: url + query, downloadUrl: async () => url, remove: async () => rmSync(join(peerDir, 'content')) };
  };
}

async function transferBothWays({ server, place, restMib }, sizeBytes) {
  const { uploadUrl, downloadUrl, remove } = await place();
  const sent = await measure(server, restMib, () => upload(uploadUrl, sizeBytes));
  const source = await downloadUrl();
  const received = await measure(server, restMib, () => download(source, sizeBytes));
  await remove(); // before the next one, so that no earlier content is still being written back to the disk
  return { upload: sent, download: received };
}

async function measure({ pid }, restMib, transfer) {
  if (canMeasure) resetPeak(pid);
  const cpuBefore = canMeasure ? cpuSeconds(pid) : 0;
  const startedAt = performance.now();
  await transfer();
  const seconds = (performance.now() - startedAt) / 1000;
  if (!canMeasure) return { seconds };
  return { seconds, cpuSeconds: cpuSeconds(pid) - cpuBefore, growthMib: residentMib(pid, 'VmHWM') - restMib };
}

function throughput(way, other = 'peer', targetRatio = TARGET_RATIO) {
  const rate = (name) => median(rounds.map((round) => SIZE_MIB / round[name][way].seconds)).toFixed(0);
  const ratio = median(rounds.map((round) => round[other][way].seconds / round.ours[way].seconds));
  const figures = { ours: rate('ours'), peer: rate(other), ratio: ratio.toFixed(2) };
  if (other === 'unsynced') return { what: `${way}, MiB/s, peer without fsync`, ...figures };
  const what = other === 'hashing' ? `${way}, MiB/s, peer with SHA-256` : `${way}, MiB/s`;
  return { what, ...figures, target: `>= ${targetRatio}`, met: ratio >= targetRatio };
}

function growth(way) {
  const most = (name) => Math.max(...rounds.map((round) => round[name][way].growthMib));
  const met = most('ours') < TARGET_GROWTH_MIB;
  return {
    what: `${way}, most memory gained, MiB`,
    ours: most('ours').toFixed(0),
    peer: most('peer').toFixed(0),
    target: `< ${TARGET_GROWTH_MIB}`,
    met,
  };
}

function processorTime(way) {
  const perGib = (name) => median(rounds.map((round) => (round[name][way].cpuSeconds * 1024) / SIZE_MIB));
  const [own, other] = [perGib('ours'), perGib('peer')];
  return {
    what: `${way}, processor seconds per GiB`,
    ours: own.toFixed(2),
    peer: other.toFixed(2),
    ratio: (own / other).toFixed(2),
  };
}
