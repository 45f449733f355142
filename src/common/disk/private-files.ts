import { chmod, stat } from 'node:fs/promises';
import { makeFolders } from './folders.js';
import type { WriteStream } from 'node:fs';

const PRIVATE_UMASK = 0o077;

/** Sets the umask: other users cannot open files that this process creates, not even those of libraries such as SQLite. */
export function keepFilesPrivate(): void {
  process.umask(PRIVATE_UMASK);
}

/** Creates a folder that no other user can open, or removes the permissions of others from an existing folder. */
export async function makePrivateFolder(path: string): Promise<void> {
  await makeFolders(path);
  await closeToOthers(path);
}

/** Removes the permissions of other users from a file or folder, if it exists and this user owns it. */
export async function closeToOthers(path: string): Promise<void> {
  const { mode } = await stat(path).catch(() => ({ mode: 0 }));
  if ((mode & 0o077) !== 0) await chmod(path, mode & 0o700).catch(() => undefined);
}

/** Closes a file that is being written, and resolves once it is closed. A file still being opened would be created after its removal. */
export async function closedFile(file: WriteStream): Promise<void> {
  file.destroy();
  if (!file.closed) await new Promise<void>((done) => file.once('close', done));
}
