import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOfProcess } from './process-tree.js';

const PREFIX = `platform-services-pdf-${hostname().replaceAll(/[^\w.]/g, '-')}-`;
/** Id and start time of the owning process, then the suffix of mkdtemp. */
const NAME = /^(\d+)-(\d+)-\w{6}$/;

/** Creates an empty browser profile folder. Its name identifies the owning process, and its machine or container. */
export const makeProfile = (): Promise<string> =>
  mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-${startOfProcess(process.pid) ?? 0}-`));

export const removeProfile = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });

/**
 * Removes the profiles of killed servers. Skips those of other users and of running processes, and all of them where the system does
 * not report start times.
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
