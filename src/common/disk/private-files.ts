import { chmod, mkdir, stat } from 'node:fs/promises';

const PRIVATE_UMASK = 0o077;

/** Closes all files that this process creates from now on to others, even those of libraries, such as the files of SQLite. */
export function keepFilesPrivate(): void {
  process.umask(PRIVATE_UMASK);
}

/** Makes a folder that nobody else can open, or closes one that an earlier version left open. */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await closeToOthers(path);
}

/** Closes a file or folder to other users, if it exists and is ours. */
export async function closeToOthers(path: string): Promise<void> {
  const { mode } = await stat(path).catch(() => ({ mode: 0 }));
  if ((mode & 0o077) !== 0) await chmod(path, mode & 0o700).catch(() => undefined);
}
