// Runs before all tests. Puts the data of servers on a disk in memory where there is room for it: on others each commit of
// SQLite waits for the device, which takes longer than the rest of most tests. Removes it when the run ends.
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';

const MEMORY = '/dev/shm';
const NEEDED_BYTES = 4 * 2 ** 30;

export default function () {
  if (process.env.TEST_FOLDER || freeBytes() < NEEDED_BYTES) return;
  const folder = mkdtempSync(`${MEMORY}/platform-services-tests-`);
  process.env.TEST_FOLDER = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1)); // with the removal
}

function freeBytes() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize;
  } catch {
    return 0; // not on Linux
  }
}
