import type { WriteStream } from 'node:fs';

/** Ends a file that is being written, and resolves once it is closed. One that is still being opened would be created after its deletion. */
export async function closedFile(file: WriteStream): Promise<void> {
  file.destroy();
  if (!file.closed) await new Promise<void>((done) => file.once('close', done));
}
