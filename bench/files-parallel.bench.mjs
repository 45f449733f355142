// Peak memory growth of the process during 200 concurrent uploads of 5 MiB. On the folder store; with TEST_S3_ENDPOINT also on an S3
// server. BENCH_ROUNDS repeats the uploads in the same process, which reveals memory leaks. Left out: slow clients, downloads, uploads
// in parts, and PostgreSQL.
import { randomUUID } from 'node:crypto';
import { FilesApi } from './support/files-api.mjs';
import { canMeasure, residentMib, resetPeak } from './support/process-usage.mjs';
import { report, skip } from './support/report.mjs';
import { createKey, start } from './support/servers.mjs';
import { upload } from './support/transfers.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const UPLOADS = 200;
const SIZE_MIB = 5;
const TARGET_MIB = 150;
const { TEST_S3_ENDPOINT, TEST_S3_ACCESS_KEY, TEST_S3_SECRET_KEY } = process.env;

if (!canMeasure) {
  skip('files-parallel, since memory is read from /proc, which is not here');
  process.exit(0);
}
const key = createKey();
const rows = [await measure('folder', {})];
if (TEST_S3_ENDPOINT) {
  const store = { S3_ENDPOINT: TEST_S3_ENDPOINT, S3_ACCESS_KEY: TEST_S3_ACCESS_KEY, S3_SECRET_KEY: TEST_S3_SECRET_KEY };
  rows.push(await measure('S3', { ...store, S3_BUCKET: `bench-${randomUUID()}` }));
} else {
  skip('files-parallel on an S3 server, since TEST_S3_ENDPOINT is not set');
}
report(`files-parallel: ${UPLOADS} uploads of ${SIZE_MIB} MiB at once, most memory gained, MiB, of ${ROUNDS} rounds`, rows);

async function measure(what, settings) {
  const server = await start('dist/bundle/main.js', settings);
  const api = new FilesApi(server.address, key);
  await upload((await api.create({ name: 'warm-up' })).uploadUrl, 1024);
  const restMib = residentMib(server.pid);
  let mostMib = 0;
  let seconds = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const files = await Promise.all(Array.from({ length: UPLOADS }, (_, index) => api.create({ name: `${round}-${index}` })));
    resetPeak(server.pid);
    const startedAt = performance.now();
    await Promise.all(files.map(({ uploadUrl }) => upload(uploadUrl, SIZE_MIB * 1024 * 1024)));
    seconds += (performance.now() - startedAt) / 1000;
    mostMib = Math.max(mostMib, residentMib(server.pid, 'VmHWM') - restMib);
    await Promise.all(files.map(({ id }) => api.delete(id)));
  }
  await server.stop();
  const rate = ((ROUNDS * UPLOADS * SIZE_MIB) / seconds).toFixed(0);
  return { what: `${what} (${rate} MiB/s)`, ours: mostMib.toFixed(0), target: `< ${TARGET_MIB}`, met: mostMib < TARGET_MIB };
}
