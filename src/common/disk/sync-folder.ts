import { open } from 'node:fs/promises';

/** Syncs a folder, without which a new name in it may be lost with the power. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
