import { mkdir, open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { existsSync } from 'node:fs';

/**
 * Creates a folder and its parents without permissions for other users; an existing one keeps its mode. Returns whether it was
 * created. Node's own recursion never ends in /proc, and reports ENOENT on a read-only file system.
 */
export async function makeFolders(path: string): Promise<boolean> {
  try {
    return await makeOne(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const above = dirname(path);
    // Another caller may create it concurrently.
    if ((await kindOf(above)) === 'nothing') await makeFolders(above);
    return makeOne(path);
  }
}

async function makeOne(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((await kindOf(path)) === 'folder') return false;
    throw error;
  }
}

async function kindOf(path: string): Promise<'folder' | 'file' | 'nothing'> {
  return stat(path).then(
    (found) => (found.isDirectory() ? 'folder' : 'file'),
    () => 'nothing',
  );
}

/**
 * Syncs a folder: otherwise a new file name in it may be lost in a power cut. Windows cannot open folders as files, and NTFS
 * journals new names.
 */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Folder in DATA_DIR into which a restore unpacks. Nothing else changes before the whole backup is verified. */
export const STAGING = 'restore-staging';
/** File in DATA_DIR while a restore moves the files of a backup into place. It remains after a crash. */
export const UNFINISHED = 'restore-unfinished';

/** Returns whether a restore was interrupted, so that DATA_DIR may have only part of a backup. */
export const isHalfRestored = (dataDir: string): boolean => existsSync(join(dataDir, UNFINISHED));
