import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { type Config, ConfigError } from '../config/config.js';
import { openSqlite } from './sqlite/sqlite-driver.js';

/** Wait for a server that is about to stop. */
const PATIENCE_MS = 1_000;
const LOCK = '.lock';
/** Names the process that holds the lock, for messages only. */
const HOLDER = '.pid';

type Data = Pick<Config, 'dataDir' | 'databaseFile' | 'usesDataDir'>;

/** Connections that hold locks, by their files. Garbage collection would close them. */
const held = new Map<string, Database>();

/**
 * Locks the database and DATA_DIR for this server, since two servers on one SQLite database do not know of each other's recipients. The locks are
 * those of SQLite on empty files, so they end with the process, however it ends, and hold across containers. With PostgreSQL nothing is
 * locked: nodes may share a mounted folder. Returns what removes them.
 * @throws ConfigError naming the process that holds one
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

/** Returns the process that holds one of the locks, if there is one. Creates nothing. */
export function dataHolder(data: Data): string | undefined {
  for (const { file } of locksOf(data)) {
    try {
      const lock = tryLock(file + LOCK);
      if (!lock) return holderOf(file);
      lock.close();
    } catch {
      // There is no such file, or it is not this user's.
    }
  }
  return undefined;
}

/** Returns the paths of the files of the locks. A server that stops leaves them. */
export const lockFiles = (data: Data): string[] => locksOf(data).flatMap(({ file }) => [file + LOCK, file + HOLDER]);

/** A lock is named after a database; that of DATA_DIR, after the default one. */
function locksOf({ dataDir, databaseFile, usesDataDir }: Data): { file: string; setting: string; path: string }[] {
  if (databaseFile === undefined) return [];
  const ofFolder = join(dataDir, 'platform-services.db');
  const locks = usesDataDir ? [{ file: ofFolder, setting: 'DATA_DIR', path: dataDir }] : [];
  return databaseFile === ofFolder ? locks : [...locks, { file: databaseFile, setting: 'DATABASE_URL', path: databaseFile }];
}

/** Returns undefined where another process holds the lock. Locks again what its former holder removed meanwhile. */
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

/** @throws Error where there is no file */
function tryLock(path: string): Database | undefined {
  const lock = openSqlite(path, { fileMustExist: true, timeout: PATIENCE_MS });
  try {
    lock.pragma('journal_mode = MEMORY'); // no further file
    lock.exec('BEGIN IMMEDIATE');
    return lock;
  } catch (error) {
    lock.close();
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return undefined;
    throw error;
  }
}

/** Removes the files of a lock of this process before it is released. Windows removes no open file; then they stay. */
function remove(file: string): void {
  for (const suffix of [HOLDER, LOCK]) {
    try {
      rmSync(file + suffix, { force: true });
    } catch {
      // The next lock uses it again.
    }
  }
  held.get(file)?.close();
  held.delete(file);
}

const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;

/** Returns such as "process 123"; a process of another machine or container with its host. */
function holderOf(file: string): string {
  try {
    const [, pid, host] = /^(\d+) (\S+)\n$/.exec(readFileSync(file + HOLDER, 'utf8')) ?? [];
    if (pid !== undefined) return host === hostname() ? `process ${pid}` : `process ${pid} on ${host}`;
  } catch {
    // It has not named itself yet.
  }
  return 'another process';
}
