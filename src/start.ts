import { setFlagsFromString } from 'node:v8';
import { Config, ConfigError } from './common/config/config.js';
import { keepFilesPrivate } from './common/disk/private-files.js';
import { AppError } from './common/errors/app-error.js';

/** Starts the node and leaves it running; a start that fails says why in one line and exits with 1. */
export async function start(): Promise<void> {
  keepFilesPrivate();
  // V8 puts what it expects to live long where it collects rarely. It expects that of rows, once pages of them have waited
  // for the client, and an export would then leave 100 MiB of them behind each time. Requests are as fast without.
  setFlagsFromString('--no-allocation-site-pretenuring');
  try {
    const config = Config.fromProcess();
    // Two thousand modules, which a wrong setting need not wait for.
    const { serve } = await import('./serve.js');
    await serve(config);
  } catch (error) {
    const expected = error instanceof ConfigError || error instanceof AppError;
    process.stderr.write(`platform-services did not start: ${expected ? error.message : describe(error)}\n`);
    process.exit(1);
  }
}

function describe(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk of DATA_DIR is full: make room, then start again';
  return (message || code || String(error)).replace(/\s+/g, ' ').trim();
}
