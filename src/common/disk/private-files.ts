import { chmod, mkdir, stat } from 'node:fs/promises';

const PRIVATE_UMASK = 0o077;

/** From now on what this process makes is closed to others, also what libraries make: the files of SQLite above all. */
export function keepFilesPrivate(): void {
  process.umask(PRIVATE_UMASK);
}

/** Makes a folder that nobody else can open, or closes one that an earlier version left open. */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await closeToOthers(path);
}

/** Takes a file or folder away from other users, if it is there and is ours. */
export async function closeToOthers(path: string): Promise<void> {
  const { mode } = await stat(path).catch(() => ({ mode: 0 }));
  if ((mode & 0o077) !== 0) await chmod(path, mode & 0o700).catch(() => undefined);
}
