import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOfProcess } from './process-tree.js';

const PREFIX = `platform-services-pdf-${hostname().replaceAll(/[^\w.]/g, '-')}-`;
/** The id and the start of the process that made it, then what mkdtemp adds. */
const NAME = /^(\d+)-(\d+)-\w{6}$/;

/** Makes an empty folder for the profile of a browser. Its name tells which process of which machine or container owns it. */
export const makeProfile = (): Promise<string> =>
  mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-${startOfProcess(process.pid) ?? 0}-`));

export const removeProfile = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });

/**
 * Removes the profiles of servers that were killed. A folder of another user stays, and so does that of a process that runs. Where the system
 * does not tell when a process started, all stay.
 */
export async function removeLeftProfiles(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const [, pid, start] = NAME.exec(name.slice(PREFIX.length)) ?? [];
    if (pid === undefined || start === '0' || startOfProcess(Number(pid)) === Number(start)) continue;
    const folder = join(tmpdir(), name);
    const stats = await lstat(folder).catch(() => undefined);
    if (stats?.isDirectory() && stats.uid === process.getuid?.()) await removeProfile(folder);
  }
}
