import { statfsSync, statSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import { roomOf } from '../../disk/disk-space.js';

const LOOK_EVERY_MS = 1_000;
const CHUNK_BYTES = 1024 * 1024;
const CHECKPOINT_PAGES = { usual: 4_000, held: 250 };
const NO_LIMIT = 4_294_967_294;
const DELETE = /^\s*DELETE\b/i;

/** Sizes within the free space that uploads leave to the database: of 64 MiB, they are 16, 8, 2, 8 and 48 MiB. */
const partsOf = (keptFreeBytes: number) => ({
  reserveBytes: keptFreeBytes / 4,
  onlyForDeletesBytes: keptFreeBytes / 8,
  pieceBytes: keptFreeBytes / 32,
  holdBelowBytes: keptFreeBytes / 8,
  refillAboveBytes: (keptFreeBytes * 3) / 4,
});

const reserveOf = (databaseFile: string) => `${databaseFile}-reserve`;

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Frees one chunk of the reserve file when the disk is nearly full. Deletes may use the whole reserve, other writes only its first
 * half. Returns false if nothing can be freed.
 */
export function freeReserve(databaseFile: string, isDelete: boolean): boolean {
  try {
    const { freeBytes, keptFreeBytes } = roomOf(statfsSync(dirname(databaseFile)));
    const { onlyForDeletesBytes, pieceBytes } = partsOf(keptFreeBytes);
    const sizeBytes = sizeOf(reserveOf(databaseFile));
    const leftBytes = isDelete ? 0 : onlyForDeletesBytes;
    if (sizeBytes <= leftBytes || freeBytes >= pieceBytes) return false;
    truncateSync(reserveOf(databaseFile), Math.max(0, Math.floor(sizeBytes - pieceBytes)));
    return true;
  } catch {
    return false;
  }
}

/**
 * Allows deletes on a full disk. They write too: to the log that SQLite keeps before its file. A reserve file beside the database
 * holds disk space, and is freed chunk by chunk, only for a statement that found none: otherwise another program could take all of
 * it. While space is short, the database file must not grow, so inserts use freed pages. Once there is space again, the reserve is
 * refilled and the limit ends.
 */
export class SqliteReserve {
  private timer: NodeJS.Timeout | undefined;
  private checking?: Promise<void>;
  private held = false;

  constructor(private readonly client: Database) {}

  /** Checks the disk every second. Used by the writing connection only. */
  watch(): void {
    this.timer = setInterval(() => {
      this.checking ??= this.check()
        .catch(() => undefined) // a disk fault, which statements report
        .finally(() => (this.checking = undefined));
    }, LOOK_EVERY_MS).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.checking;
  }

  /** Frees space before a transaction, which cannot be retried from within. */
  beforeTransaction(): void {
    if (this.held) freeReserve(this.client.name, false);
  }

  /**
   * Retries a statement that found the disk full, if it is not part of a transaction, which is undone as a whole. For a delete, the
   * database file may grow a little, since remaining rows may have to move, and chunk after chunk is freed.
   * @throws the error, unless a retry succeeds
   */
  again<T>(error: unknown, { sql, alone }: { sql: string; alone: boolean }, run: () => T): T {
    if (!isDiskFull(error)) throw error;
    const isDelete = DELETE.test(sql);
    const findRoom = () => freeReserve(this.client.name, isDelete);
    const hasRoom = findRoom();
    this.hold();
    if (!alone || !(hasRoom || isDelete)) throw error;
    if (isDelete) this.client.pragma(`max_page_count = ${NO_LIMIT}`);
    try {
      for (;;) {
        try {
          return run();
        } catch (repeated) {
          if (!isDelete || !isDiskFull(repeated) || !findRoom()) throw repeated;
        }
      }
    } finally {
      this.hold();
    }
  }

  /** Limits the database to its current number of pages, the lowest limit possible. */
  private hold(): void {
    this.client.pragma('max_page_count = 1');
    if (!this.held) this.client.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES.held}`);
    this.held = true;
  }

  private letGo(): void {
    if (!this.held) return;
    this.client.pragma(`max_page_count = ${NO_LIMIT}`);
    this.client.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES.usual}`);
    this.held = false;
  }

  private async check(): Promise<void> {
    const { freeBytes, keptFreeBytes } = roomOf(statfsSync(dirname(this.client.name)));
    const { reserveBytes, holdBelowBytes, refillAboveBytes } = partsOf(keptFreeBytes);
    const haveBytes = sizeOf(reserveOf(this.client.name));
    if (!this.client.open) return;
    if (freeBytes < holdBelowBytes) this.hold();
    else if (freeBytes + haveBytes >= refillAboveBytes) {
      this.letGo();
      if (haveBytes < reserveBytes) await this.refill(Math.floor(reserveBytes - haveBytes));
    }
  }

  /** Refills the reserve, with bytes that no file system can compress or skip. */
  private async refill(missingBytes: number): Promise<void> {
    const chunk = randomBytes(CHUNK_BYTES);
    const file = await open(reserveOf(this.client.name), 'a', 0o600);
    try {
      for (let leftBytes = missingBytes; leftBytes > 0; leftBytes -= CHUNK_BYTES) {
        await file.write(chunk, 0, Math.min(leftBytes, CHUNK_BYTES));
      }
    } finally {
      await file.close();
    }
  }
}

function isDiskFull(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === 'SQLITE_FULL' || code?.startsWith('SQLITE_IOERR') === true;
}
