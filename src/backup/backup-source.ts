import { constants, type Dirent } from 'node:fs';
import { type FileHandle, lstat, open, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { extract } from 'tar-stream';
import { BackupError, type BackupEntry, isBackupName, linesOf, nameOf, SUMS } from './backup-format.js';

/** Reads the files of a backup in checksum order, then the checksums. The source is a folder, or standard input for `-`. */
export const openSource = (path: string): AsyncIterable<BackupEntry> => (path === '-' ? fromStream() : fromFolder(path));

async function* fromFolder(folder: string): AsyncGenerator<BackupEntry> {
  await refuseLinks(folder);
  const sums = join(folder, SUMS);
  if (!(await isFile(sums))) throw new BackupError(`${folder} has no ${SUMS}: it is not a backup, or an incomplete one`);
  for await (const line of linesOf(await openFile(sums, SUMS))) {
    const name = nameOf(line);
    // Checked before the file is opened: a name could lead out of the folder.
    if (!isBackupName(name)) throw new BackupError(`${JSON.stringify(name)} in ${SUMS} is not a file of a backup`);
    const path = join(folder, name);
    if (!(await isFile(path))) throw new BackupError(`The backup is missing ${name}, which ${SUMS} lists`);
    yield { name, ...(await opened(path, name)) };
  }
  yield { name: SUMS, ...(await opened(sums, SUMS)) };
}

/** Checks for links, devices and pipes at any depth of the folder. @throws BackupError if there is one */
async function refuseLinks(folder: string): Promise<void> {
  const folders = [''];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for await (const entry of await opendir(join(folder, at))) {
      const name = join(at, entry.name);
      if (entry.isDirectory()) folders.push(name);
      else if (!entry.isFile())
        throw new BackupError(`${name} in the backup is ${kindOf(entry)}; it must be a plain file or a folder`);
    }
  }
}

const kindOf = (entry: Dirent): string => (entry.isSymbolicLink() ? 'a symbolic link' : 'a device, a pipe or a socket');

async function opened(path: string, name: string): Promise<Pick<BackupEntry, 'sizeBytes' | 'content'>> {
  const handle = await openFile(path, name);
  return { sizeBytes: (await handle.stat()).size, content: handle.createReadStream() };
}

/** Opens a plain file. Follows no link and never blocks on a pipe, even if the path was replaced meanwhile. */
async function openFile(path: string, name: string): Promise<FileHandle> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new BackupError(`${name} in the backup must be a plain file`);
}

async function* fromStream(): AsyncGenerator<BackupEntry> {
  const archive = process.stdin.pipe(extract());
  process.stdin.once('error', (error) => archive.destroy(error));
  try {
    for await (const entry of archive) {
      const { name, type, size } = entry.header;
      if (type !== 'file') throw new BackupError(`${JSON.stringify(name)} in the archive is not a plain file`);
      yield { name, sizeBytes: size ?? 0, content: entry as unknown as Readable };
    }
  } catch (error) {
    if (error instanceof BackupError) throw error;
    throw new BackupError(`The archive cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

async function isFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isFile() ?? false;
}
