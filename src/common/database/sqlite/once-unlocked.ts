import { setTimeout } from 'node:timers/promises';
import { isDatabaseLocked } from '../../base/database-faults.js';

const LOCKED_MS = 30_000;
const PAUSE_MS = 50;

/** Retries for up to 30 s while other processes lock the file: SQLite does not wait for every kind of lock, or only for 5 s. */
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
