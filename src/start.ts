import { Config, ConfigError } from './common/config/config.js';
import { AppError } from './common/errors/app-error.js';

/** Starts the node and leaves it running; a start that fails says why in one line and exits with 1. */
export async function start(): Promise<void> {
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
  if (code === 'EADDRINUSE') return 'PORT is in use by another program; choose another port';
  return (message || code || String(error)).replace(/\s+/g, ' ').trim();
}
