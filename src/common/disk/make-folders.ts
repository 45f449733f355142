import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder, and those above it, without permissions for other users; an existing one keeps its mode. Returns whether it was
 * created. Node's own recursion never ends in /proc, and reports ENOENT on a read-only file system.
 */
export async function makeFolders(path: string): Promise<boolean> {
  try {
    return await makeOne(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const above = dirname(path);
    // Another caller may create it meanwhile.
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
