import { existsSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { openSqlite } from './sqlite-driver.js';

const PAGES_PER_STEP = 2_000;
const LOCK_TIMEOUT_MS = 10_000;
const PROBE_MS = 500;

/** Copy of a SQLite database at one moment, optionally with an earlier copy attached as `earlier`. */
export class SqliteSnapshot {
  private constructor(private readonly database: Database) {}

  /**
   * Copies a database that other processes write to. A reader blocks no writer. Without a transaction of its own, the copy would
   * restart with each write.
   */
  static async take(file: string, target: string, earlier?: string): Promise<SqliteSnapshot> {
    const live = openSqlite(file, { readonly: true, fileMustExist: true, timeout: LOCK_TIMEOUT_MS });
    try {
      live.exec('BEGIN');
      live.prepare('SELECT 1 FROM sqlite_master').get(); // the transaction begins with its first read
      // Not by VACUUM INTO, which renumbers rows without an integer key and takes more processor time.
      await live.backup(target, { progress: () => PAGES_PER_STEP });
    } finally {
      live.close();
    }
    const copy = openSqlite(target, { readonly: true });
    if (earlier) copy.prepare('ATTACH ? AS earlier').run(earlier);
    return new SqliteSnapshot(copy);
  }

  /** Yields rows one by one, so that each can be processed before the next is read. */
  rows<T>(statement: string, ...values: unknown[]): IterableIterator<T> {
    return this.database.prepare(statement).iterate(...values) as IterableIterator<T>;
  }

  close(): void {
    this.database.close();
  }
}

/**
 * Locks a database against other processes until the returned function is called. Does nothing if the file is missing.
 * @throws Error with the code SQLITE_BUSY if another process has it open
 */
export function holdDatabase(file: string): () => void {
  if (!existsSync(file)) return () => undefined;
  const database = openSqlite(file, { timeout: PROBE_MS });
  try {
    database.pragma('locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw error;
  }
  return () => database.close();
}
