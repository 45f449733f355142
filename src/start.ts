import cluster from 'node:cluster';
import { dirname } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Config, ConfigError } from './common/config/config.js';
import { lockData } from './common/database/server-lock.js';
import { makeDataFolder } from './common/disk/data-folder.js';
import { makeFolders } from './common/disk/folders.js';
import { keepFilesPrivate } from './common/disk/private-files.js';
import { AppError } from './common/base/app-error.js';
import { say } from './common/base/printable.js';

/** Starts the node, or one of its workers, and leaves it running. A failed start prints the reason in one line and exits with 1. */
export async function start(): Promise<void> {
  keepFilesPrivate();
  // V8 allocates objects with a long expected life where it rarely collects garbage. Once pages of rows have waited for a client, it
  // expects a long life of all rows, and each export would leave 100 MiB behind. Requests are as fast without.
  setFlagsFromString('--no-allocation-site-pretenuring');
  // V8 optimizes a WebAssembly function after 1.8 MB of executed code. Prisma's query compiler reaches that during startup, which
  // leaves 50 MiB in the optimizing threads.
  setFlagsFromString('--wasm-tiering-budget=200000000');
  try {
    const config = Config.fromProcess();
    if (config.usesDataDir) await makeDataFolder(config.dataDir);
    if (cluster.isPrimary) await lockForThisServer(config);
    if (config.workers > 1 && cluster.isPrimary) return (await import('./primary.js')).runPrimary(config);
    // Loaded only now, so that an invalid setting is reported before two thousand modules load.
    const { serve } = await import('./serve.js');
    await serve(config);
  } catch (error) {
    const expected = error instanceof ConfigError || error instanceof AppError;
    for (const line of `platform-services did not start: ${expected ? error.message : describe(error)}`.split('\n')) say(line);
    process.exit(1);
  }
}

/** Locks the data until the process exits. Workers share the locks. */
async function lockForThisServer(config: Config): Promise<void> {
  try {
    if (config.databaseFile) await makeFolders(dirname(config.databaseFile));
    lockData(config);
  } catch (error) {
    const { openingFault } = await import('./common/database/database.module.js');
    throw openingFault(error);
  }
}

function describe(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk of DATA_DIR is full: free some space, then start again';
  return (message || code || String(error)).replace(/\s+/g, ' ').trim();
}
