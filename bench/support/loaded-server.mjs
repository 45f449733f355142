// Starts a build of our server for a bench, and puts it under load.
import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { CONNECTIONS } from './operations.mjs';
import { createKey, folder, freePort, start } from './servers.mjs';

const MEMORY = '/dev/shm';
const NEEDED_BYTES = 4 * 2 ** 30;

/** Returns a new folder in memory: on a disk, servers would mostly wait for the device. */
export function dataFolder() {
  const isRoomy = () => {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED_BYTES;
  };
  let parent = folder;
  try {
    if (isRoomy()) parent = MEMORY;
  } catch {
    // not on Linux
  }
  const data = mkdtempSync(join(parent, 'bench-data-'));
  process.once('exit', () => rmSync(data, { recursive: true, force: true }));
  return data;
}

/** Starts a build with a key. Mails go to a closed port, so that only acceptance is measured. */
export async function serve(root, dataDir, database) {
  mkdirSync(dataDir);
  const own = { ...database.settings, DATA_DIR: dataDir };
  const mail = { SMTP_URL: `smtp://127.0.0.1:${await freePort()}`, EMAIL_FROM: 'no-reply@sender.example' };
  const server = await start('dist/bundle/main.js', { ...own, ...mail, root });
  const ends = [];
  const stop = async () => {
    for (const end of ends) end();
    await server.stop();
    await database.drop();
  };
  return { address: server.address, pid: server.pid, key: createKey(own, root), beforeStop: (end) => ends.push(end), stop };
}

/** Repeats a request for some seconds. Any answer other than a success is an error. */
export async function load(what, request, seconds) {
  const result = await autocannon({ ...request, connections: CONNECTIONS, duration: seconds });
  const { requests, duration, errors, mismatches, statusCodeStats } = result;
  const refusals = Object.entries(statusCodeStats).filter(([status]) => !status.startsWith('2'));
  if (errors + mismatches + refusals.length > 0) {
    const answers = refusals.map(([status, { count }]) => `${count} times ${status}`);
    throw new Error(`${what}: ${[`${errors} errors`, `${mismatches} wrong answers`, ...answers].join(', ')}`);
  }
  return { count: requests.total, perSecond: requests.total / duration };
}
