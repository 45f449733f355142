import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { extract } from 'tar-stream';
import { BackupError, type BackupEntry, isBackupName, SUMS } from './backup-format.js';

/** The files of a backup, in the order of its sums, which come last. The source is a folder, or standard input for `-`. */
export const openSource = (path: string): AsyncIterable<BackupEntry> => (path === '-' ? fromStream() : fromFolder(path));

async function* fromFolder(folder: string): AsyncGenerator<BackupEntry> {
  const sums = join(folder, SUMS);
  if (!(await sizeOf(sums))) throw new BackupError(`${folder} has no ${SUMS}: it is no backup, or one that did not finish`);
  for await (const line of linesOf(sums)) {
    const name = nameOf(line);
    // Before it is opened: a name could lead elsewhere.
    if (!isBackupName(name)) throw new BackupError(`${JSON.stringify(name)} in ${SUMS} is not a file of a backup`);
    const sizeBytes = await sizeOf(join(folder, name));
    if (sizeBytes === undefined) throw new BackupError(`The backup has no ${name}, which ${SUMS} names`);
    yield { name, sizeBytes, content: createReadStream(join(folder, name)) };
  }
  yield { name: SUMS, sizeBytes: 0, content: createReadStream(sums) };
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

/** Returns the size of a file; nothing if there is none. A link counts as none. */
async function sizeOf(path: string): Promise<number | undefined> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() ? found.size : undefined;
}

export const linesOf = (path: string): AsyncIterable<string> =>
  createInterface({ input: createReadStream(path), crlfDelay: Infinity });

export const nameOf = (line: string): string => line.slice(line.indexOf('  ') + 2);
