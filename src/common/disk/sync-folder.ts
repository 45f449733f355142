import { open } from 'node:fs/promises';

/**
 * Syncs a folder, without which a new name in it may be lost with the power. Windows opens no folder as a file, and NTFS has new names
 * in its journal.
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
