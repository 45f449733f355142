import type { WriteStream } from 'node:fs';

/** Closes a file that is being written, and resolves once it is closed. A file still being opened would be created after its removal. */
export async function closedFile(file: WriteStream): Promise<void> {
  file.destroy();
  if (!file.closed) await new Promise<void>((done) => file.once('close', done));
}
