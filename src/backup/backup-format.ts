import type { Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { Config, ConfigError } from '../common/config/config.js';

/** Error in a backup or at the destination of a restore. Its message is one line. */
export class BackupError extends Error {}

/** File of a backup. Its content must be read completely, or not at all, before the next entry. */
export interface BackupEntry {
  name: string;
  sizeBytes: number;
  content: Readable;
}

/** Destination of a backup: a folder or a stream. */
export interface BackupTarget {
  /** Folder for temporary copies, removed at the end. */
  readonly work: string;
  add(entry: BackupEntry): Promise<void>;
  /** Returns once everything is written. @param broken whether a write failed */
  close(broken: boolean): Promise<void>;
}

export const FORMAT = 1;
export const ABOUT = 'backup.json';
export const DATABASE = 'platform-services.db';
/** Files with the generated secret and its predecessors. */
export const SECRETS = ['secret.key', 'secret.keys.old'];
export const BLOBS = 'blobs';
export const MAIL = 'mail';
/** Last file of every backup, in `sha256sum` format. A backup without it is incomplete. */
export const SUMS = 'SHA256SUMS';

const NAME =
  /^(backup\.json|platform-services\.db|secret\.key|secret\.keys\.old|mail\/[0-9A-Za-z-]+\.eml|blobs(\/[0-9A-Za-z-]+)+(\/\d{5}\.\d+\.\d+\.[0-9a-f]{32})?)$/;

const MAX_NAME = 1_024;
const SUM_LINE = /^[0-9a-f]{64} {2}(.*)$/;
const MAX_LINE = 64 + 2 + MAX_NAME;

/** Returns whether a backup may contain a file of this name. A name must not lead out of the backup folder. */
export const isBackupName = (name: string): boolean =>
  name.length <= MAX_NAME && NAME.test(name) && name.split('/').every((part) => part.length <= 255);

export const sumLine = (sha256: string, name: string): string => `${sha256}  ${name}`;

/** Parses the file name in a `sha256sum` line. @throws BackupError for any other format */
export function nameOf(line: string): string {
  const [, name] = SUM_LINE.exec(line) ?? [];
  if (name !== undefined) return name;
  throw new BackupError(
    `${SUMS} has the line ${JSON.stringify(line.slice(0, 100))}; each must be a SHA-256, two spaces and a name`,
  );
}

/** Reads the lines of the checksum file, then closes it. @throws BackupError for a line over the maximum length */
export async function* linesOf(file: FileHandle): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of file.createReadStream({ encoding: 'utf8' }) as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    if (rest.length > MAX_LINE)
      throw new BackupError(`${SUMS} has a line longer than ${MAX_LINE} characters, the maximum for a name`);
    yield* lines;
  }
  if (rest) yield rest;
}

/** Returns the SQLite file. @throws ConfigError for PostgreSQL or an S3 store */
export function onlyFolder({ databaseFile, minio }: Config): string {
  if (databaseFile && !minio) return databaseFile;
  const setting = databaseFile ? 'S3_ENDPOINT' : 'DATABASE_URL';
  throw new ConfigError(
    `${setting} must not be set for backup and restore, which copy SQLite and a folder: copy PostgreSQL and an S3 store with ` +
      'their own tools, see Backups in docs/run.md',
  );
}

/** Passes content through while updating `hash`. */
export function hashed(content: Readable, hash: Hash): Readable {
  const chunks = async function* chunks() {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      hash.update(chunk);
      yield chunk;
    }
  };
  return Readable.from(chunks(), { objectMode: false });
}
