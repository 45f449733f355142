import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack } from 'tar-stream';
import { roomOf } from '../common/disk/disk-space.js';
import { makeFolders } from '../common/disk/folders.js';
import { BackupError, type BackupEntry, type BackupTarget } from './backup-format.js';

const WORK = 'backup-';
const DAY_MS = 24 * 60 * 60_000;

/** Opens a folder, or standard output as one tar for `-`. */
export function openTarget(path: string, databaseFile: string): Promise<BackupTarget> {
  return path === '-' ? openStream(databaseFile) : openFolder(path);
}

/** Opens a folder as the target. @throws BackupError unless it is absent or empty */
async function openFolder(folder: string): Promise<BackupTarget> {
  await makeFolders(folder);
  if ((await readdir(folder)).length > 0) throw new BackupError(`${folder} must be empty or not exist yet`);
  const work = await mkdtemp(join(folder, WORK));
  return {
    work,
    async add({ name, content }) {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }));
    },
    close: () => rm(work, { recursive: true, force: true }),
  };
}

/** Opens standard output as a tar. Copies the database to a file first, since a tar entry begins with its size. */
async function openStream(databaseFile: string): Promise<BackupTarget> {
  const folder = dirname(databaseFile);
  await removeLeftovers(folder);
  const { freeBytes, keptFreeBytes } = roomOf(await statfs(folder));
  const needed = (await stat(databaseFile)).size + keptFreeBytes;
  if (freeBytes < needed) {
    throw new BackupError(`The disk of the database has no room for a copy: ${needed} bytes are needed, ${freeBytes} are free`);
  }
  const work = await mkdtemp(join(folder, WORK));
  const archive = pack();
  const written = pipeline(Readable.from(archive), process.stdout, { end: false });
  written.catch((error: Error) => archive.destroy(error));
  return {
    work,
    add: (entry) => Promise.race([addToArchive(archive, entry), written]),
    async close(broken) {
      await rm(work, { recursive: true, force: true });
      if (broken) return archive.destroy(new Error('broken'));
      archive.finalize();
      await written;
    },
  };
}

async function addToArchive(archive: ReturnType<typeof pack>, { name, sizeBytes, content }: BackupEntry): Promise<void> {
  const entry = archive.entry({ name, size: sizeBytes, mode: 0o600 }) as unknown as Writable; // as far as this function uses it
  const ended = once(entry, 'close');
  for await (const chunk of content) if (!entry.write(chunk as Buffer)) await once(entry, 'drain');
  entry.end();
  await ended;
}

/** Removes temporary files of killed backups. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!/^backup-\w{6}$/.test(name)) continue;
    const path = join(folder, name);
    if (Date.now() - (await stat(path)).mtimeMs > DAY_MS) await rm(path, { recursive: true, force: true });
  }
}
