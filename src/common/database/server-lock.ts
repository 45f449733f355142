import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { type Config, ConfigError } from '../config/config.js';
import { openSqlite } from './sqlite/sqlite-driver.js';

/** Maximum wait for a stopping server. */
const PATIENCE_MS = 1_000;
const LOCK = '.lock';
/** Suffix of the file that names the lock holder, for messages only. */
const HOLDER = '.pid';

type Data = Pick<Config, 'dataDir' | 'databaseFile' | 'usesDataDir'>;

/** Connections that hold locks, by file. The reference prevents garbage collection, which would close them. */
const held = new Map<string, Database>();

/**
 * Locks the database and DATA_DIR for this server: two servers on one SQLite database would not know each other's recipients. Uses
 * SQLite locks on empty files, which end with the process and hold across containers. With PostgreSQL nothing is locked, since nodes
 * may share a mounted folder. Returns a function that removes the locks.
 * @throws ConfigError naming the process that holds a lock
 */
export function lockData(data: Data): () => void {
  const files: string[] = [];
  const release = (): void => {
    for (const file of files.splice(0)) remove(file);
  };
  try {
    for (const { file, setting, path } of locksOf(data)) {
      const lock = acquire(file);
      if (lock === undefined)
        throw new ConfigError(`${setting} is in use by ${holderOf(file)}: stop that server, or name another than ${path}`);
      held.set(file, lock);
      files.push(file);
      writeFileSync(file + HOLDER, `${process.pid} ${hostname()}\n`, { mode: 0o600 });
    }
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

/** Returns the process that holds one of the locks, if any. Creates no file. */
export function dataHolder(data: Data): string | undefined {
  for (const { file } of locksOf(data)) {
    try {
      const lock = tryLock(file + LOCK);
      if (!lock) return holderOf(file);
      lock.close();
    } catch {
      // No such file, or not readable by this user.
    }
  }
  return undefined;
}

/** Returns the paths of the lock files. A stopping server leaves them to its successor. */
export const lockFiles = (data: Data): string[] => locksOf(data).flatMap(({ file }) => [file + LOCK, file + HOLDER]);

/** Lists the locks. A lock is named after its database file; that of DATA_DIR, after the default database file. */
function locksOf({ dataDir, databaseFile, usesDataDir }: Data): { file: string; setting: string; path: string }[] {
  if (databaseFile === undefined) return [];
  const ofFolder = join(dataDir, 'platform-services.db');
  const locks = usesDataDir ? [{ file: ofFolder, setting: 'DATA_DIR', path: dataDir }] : [];
  return databaseFile === ofFolder ? locks : [...locks, { file: databaseFile, setting: 'DATABASE_URL', path: databaseFile }];
}

/** Returns undefined if another process holds the lock. Locks again if the former holder removed the file meanwhile. */
function acquire(file: string): Database | undefined {
  const path = file + LOCK;
  for (;;) {
    closeSync(openSync(path, 'a', 0o600));
    const opened = inodeOf(path);
    const lock = tryLock(path);
    if (!lock || inodeOf(path) === opened) return lock;
    lock.close();
  }
}

/** Locks a file. @throws Error if it is missing */
function tryLock(path: string): Database | undefined {
  const lock = openSqlite(path, { fileMustExist: true, timeout: PATIENCE_MS });
  try {
    lock.pragma('journal_mode = MEMORY'); // creates no journal file
    lock.exec('BEGIN IMMEDIATE');
    return lock;
  } catch (error) {
    lock.close();
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return undefined;
    throw error;
  }
}

/** Removes the files of a lock before releasing it. On Windows, open files cannot be removed and stay. */
function remove(file: string): void {
  for (const suffix of [HOLDER, LOCK]) {
    try {
      rmSync(file + suffix, { force: true });
    } catch {
      // The next lock reuses the file.
    }
  }
  held.get(file)?.close();
  held.delete(file);
}

const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;

/** Describes the lock holder, such as "process 123", with its host if that is another machine or container. */
function holderOf(file: string): string {
  try {
    const [, pid, host] = /^(\d+) (\S+)\n$/.exec(readFileSync(file + HOLDER, 'utf8')) ?? [];
    if (pid !== undefined) return host === hostname() ? `process ${pid}` : `process ${pid} on ${host}`;
  } catch {
    // The holder has not named itself yet.
  }
  return 'another process';
}
