// Time from the start of a built and migrated node until it reports ready. Left out: the first start, which builds, migrates and
// creates a key; PostgreSQL; the S3 store; Redis.
import { median, report } from './support/report.mjs';
import { start } from './support/servers.mjs';

const STARTS = 5;
const TARGET_SECONDS = 2.5;

await startAndStop(); // builds what is stale, makes the database and the first key
const times = [];
for (let i = 0; i < STARTS; i++) times.push(await startAndStop());

const seconds = median(times) / 1000;
report(`start: seconds from npm start to ready, median of ${STARTS}`, [
  { what: 'built and migrated', ours: seconds.toFixed(2), target: `< ${TARGET_SECONDS}`, met: seconds < TARGET_SECONDS },
]);

async function startAndStop() {
  const server = await start('bin/platform-services.mjs', { args: ['start'] });
  await server.stop();
  return server.startMs;
}
