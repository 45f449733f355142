import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { finished, pipeline } from 'node:stream/promises';
import { type Config, ConfigError } from '../common/config/config.js';
import { readMigrations } from '../common/database/migrator.js';
import { refuseLaterDatabase } from '../common/database/migration-files.js';
import { lockData, lockFiles } from '../common/database/server-lock.js';
import { holdDatabase } from '../common/database/sqlite/sqlite-snapshot.js';
import { closedFile } from '../common/disk/private-files.js';
import { makeFolders, STAGING, syncFolder, UNFINISHED } from '../common/disk/folders.js';
import { isJsonObject } from '../common/base/json.js';
import {
  ABOUT,
  type BackupEntry,
  BackupError,
  BLOBS,
  DATABASE,
  FORMAT,
  hashed,
  isBackupName,
  linesOf,
  MAIL,
  nameOf,
  onlyFolder,
  SECRETS,
  sumLine,
  SUMS,
} from './backup-format.js';
import { openSource } from './backup-source.js';

/** Files and folders in DATA_DIR besides the database. */
const KEPT = [...SECRETS, BLOBS, MAIL, 'parts', 'arriving'];
const BESIDE_DATABASE = ['', '-wal', '-shm', '-reserve'];
const NO_DATA = ['lost+found', STAGING];
const OWN_SUMS = 'own-sums';
const MAX_ABOUT_BYTES = 64 * 1024;

export interface RestoreReport {
  files: number;
  about: { createdAt: string; release: string };
}

/**
 * Restores a backup to DATA_DIR: unpacks it into a folder there, verifies every byte, then moves everything into place. A
 * restore that fails before the move changes nothing. A restore interrupted during the move leaves a marker file, and no
 * server starts while the marker exists.
 */
export async function restore(config: Config, path: string, replace: boolean): Promise<RestoreReport> {
  const { dataDir } = config;
  const databaseFile = onlyFolder(config);
  if (dirname(databaseFile) !== dataDir) {
    throw new ConfigError('DATABASE_URL must name a file in DATA_DIR for a restore, which replaces that whole folder');
  }
  const isCreated = await makeFolders(dataDir);
  await refuseData(config, replace);
  const unlock = lockData(config);
  try {
    return await replaceData(config, databaseFile, path, replace);
  } finally {
    unlock();
    if (isCreated) await rmdir(dataDir).catch(() => undefined); // fails on purpose unless the folder is empty
  }
}

async function replaceData(config: Config, databaseFile: string, path: string, replace: boolean): Promise<RestoreReport> {
  const { dataDir } = config;
  const letGo = hold(databaseFile);
  const staging = join(dataDir, STAGING);
  const mark = join(dataDir, UNFINISHED);
  try {
    await rm(staging, { recursive: true, force: true });
    const report = await unpack(path, staging);
    await refuseData(config, replace);
    await writeFile(mark, 'platform-services restore --replace begins again\n', { flush: true });
    await syncFolder(dataDir);
    for (const name of KEPT) await rm(join(dataDir, name), { recursive: true, force: true });
    for (const suffix of BESIDE_DATABASE) await rm(databaseFile + suffix, { force: true });
    letGo();
    const names = await readdir(staging);
    for (const name of names) await rename(join(staging, name), name === DATABASE ? databaseFile : join(dataDir, name));
    await syncFolder(dataDir);
    await rm(mark);
    await syncFolder(dataDir);
    return report;
  } finally {
    letGo();
    await rm(staging, { recursive: true, force: true });
  }
}

const isOfLock = (config: Config, name: string): boolean => lockFiles(config).includes(join(config.dataDir, name));

/** Refuses to replace data without --replace. @throws BackupError */
async function refuseData(config: Config, replace: boolean): Promise<void> {
  const { dataDir } = config;
  const names = (await readdir(dataDir)).filter((name) => !NO_DATA.includes(name) && !isOfLock(config, name));
  if (replace || names.length === 0) return;
  const some = names.sort().slice(0, 5).join(', ');
  throw new BackupError(
    `DATA_DIR must be empty, but ${dataDir} has ${some}; name another folder, or replace its data with --replace`,
  );
}

/** Locks the database and returns the function that unlocks it. @throws BackupError if another process uses it */
function hold(databaseFile: string): () => void {
  try {
    return holdDatabase(databaseFile);
  } catch (error) {
    // An unreadable database is replaced too.
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') return () => undefined;
    throw new BackupError(`${databaseFile} is in use: stop the server first`);
  }
}

async function unpack(path: string, staging: string): Promise<RestoreReport> {
  await mkdir(staging, { mode: 0o700 });
  const ownSums = createWriteStream(join(staging, OWN_SUMS));
  let files = 0;
  let last = '';
  for await (const entry of openSource(path)) {
    const { name } = entry;
    if (last === SUMS) throw new BackupError(`${SUMS} must be the last file of a backup, but ${JSON.stringify(name)} follows`);
    last = name;
    if (name === SUMS) await write(entry, staging);
    else if (isBackupName(name)) {
      if (!ownSums.write(`${sumLine(await write(entry, staging), name)}\n`)) await once(ownSums, 'drain');
      files++;
    } else throw new BackupError(`${JSON.stringify(name)} in the archive is not a file of a backup`);
  }
  ownSums.end();
  await finished(ownSums);
  if (last !== SUMS) throw new BackupError(`The backup ends without ${SUMS}: it is incomplete or truncated`);
  await compareSums(join(staging, SUMS), join(staging, OWN_SUMS));
  const about = await readAbout(join(staging, ABOUT));
  await checkDatabase(join(staging, DATABASE));
  for (const name of [SUMS, OWN_SUMS, ABOUT]) await rm(join(staging, name));
  for (const suffix of ['-wal', '-shm']) await rm(join(staging, DATABASE + suffix), { force: true });
  return { files, about };
}

/** Writes one file, flushed to disk, and returns its SHA-256. */
async function write({ name, content }: BackupEntry, folder: string): Promise<string> {
  const path = join(folder, name);
  const hash = createHash('sha256');
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(hashed(content, hash), file).finally(() => closedFile(file));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw new BackupError(`${name} cannot be read: ${message}`, { cause: error });
    if (code !== 'EEXIST' && code !== 'ENOTDIR' && code !== 'EISDIR') throw error;
    throw new BackupError(`The backup has ${name} twice`, { cause: error });
  }
  return hash.digest('hex');
}

/**
 * Compares the checksums of the restored files with those of the backup, both in file order.
 * @throws BackupError naming the first file that differs
 */
async function compareSums(stated: string, own: string): Promise<void> {
  const found = linesOf(await open(own));
  for await (const line of linesOf(await open(stated))) {
    const { value, done } = await found.next();
    if (value === line) continue;
    const name = nameOf(line);
    if (!done && nameOf(value!) === name) throw new BackupError(`${name} does not match its checksum in ${SUMS}`);
    throw new BackupError(`${name} is not at the position in the backup that ${SUMS} lists`);
  }
  const { value, done } = await found.next();
  if (!done) throw new BackupError(`The backup has ${nameOf(value)}, which ${SUMS} does not list`);
}

/** Checks the database of a backup. @throws BackupError for a foreign file; ConfigError for a release that is too old or too new */
async function checkDatabase(file: string): Promise<void> {
  if (!(await sizeOf(file))) throw new BackupError(`The backup must contain ${DATABASE}, the database; it is missing or empty`);
  const { applied, unknown } = await readMigrations(`file:${file}`).catch((error: Error) => {
    if (error instanceof ConfigError) throw error;
    throw new BackupError(`${DATABASE} must be an SQLite database: ${error.message}`, { cause: error });
  });
  if (applied.length === 0)
    throw new BackupError(`${DATABASE} must be a database of platform-services; it has none of its migrations`);
  refuseLaterDatabase(unknown);
}

/** Reads creation time and release of a backup. @throws BackupError unless this release supports the format */
async function readAbout(path: string): Promise<RestoreReport['about']> {
  const bytes = await sizeOf(path);
  if (!bytes) throw new BackupError(`The backup must contain ${ABOUT}, which states its format; it is missing or empty`);
  if (bytes > MAX_ABOUT_BYTES) throw new BackupError(`${ABOUT} must have at most ${MAX_ABOUT_BYTES} bytes, has ${bytes}`);
  const about = parseObject(await readFile(path, 'utf8'));
  if (!about) throw new BackupError(`${ABOUT} must be a JSON object with format, release and createdAt`);
  const { format, release, createdAt } = about;
  if (format !== FORMAT)
    throw new BackupError(`${ABOUT} must have the format ${FORMAT}, which this release reads; it has ${excerptOf(format)}`);
  if (typeof release !== 'string' || !/^[\w.+-]{1,64}$/.test(release))
    throw new BackupError(`release in ${ABOUT} must be a version such as 0.3.0; it is ${excerptOf(release)}`);
  if (typeof createdAt !== 'string' || !/^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/.test(createdAt))
    throw new BackupError(`createdAt in ${ABOUT} must be a time such as 2026-11-22T08:00:00.000Z; it is ${excerptOf(createdAt)}`);
  return { release, createdAt };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const excerptOf = (value: unknown): string => (JSON.stringify(value) ?? 'missing').slice(0, 100);

const sizeOf = (path: string): Promise<number> => stat(path).then(({ size }) => size, () => 0); // prettier-ignore
