import { setTimeout } from 'node:timers/promises';
import { isDatabaseLocked } from '../../base/database-faults.js';

const LOCKED_MS = 30_000;
const PAUSE_MS = 50;

/** Tries again, for up to 30 s, while other processes hold the file: SQLite itself does not wait for each kind of lock, or for 5 s only. */
export async function onceUnlocked<T>(open: () => Promise<T>): Promise<T> {
  for (const deadline = performance.now() + LOCKED_MS; ;) {
    try {
      return await open();
    } catch (error) {
      if (!isDatabaseLocked(error) || performance.now() > deadline) throw error;
    }
    await setTimeout(PAUSE_MS);
  }
}
