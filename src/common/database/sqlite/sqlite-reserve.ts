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

/** Uses that a disk is kept for, by the room that uploads leave: with 64 MiB, in MiB 16, 8, 2, 8 and 48. */
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
 * Gives a piece of the reserve back to the disk when that has no more free than a piece, to what deletes from all of the
 * reserve, to anything else from its first half. False when nothing can be done.
 */
export function giveUpReserve(databaseFile: string, isDelete: boolean): boolean {
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
 * Lets a database delete on a full disk. Even that writes: to the log that SQLite keeps before its file. So a file beside
 * the database takes up room, which is given back piece by piece, and only to a statement that found none, or another
 * program could take it all. While there is hardly any room the file of the database must not grow: what is inserted then
 * uses pages that were freed. Once there is room again, the reserve is made again and the limit ends.
 */
export class SqliteReserve {
  private timer: NodeJS.Timeout | undefined;
  private checking?: Promise<void>;
  private held = false;

  constructor(private readonly client: Database) {}

  /** Checks the disk each second. For the connection that writes. */
  watch(): void {
    this.timer = setInterval(() => {
      this.checking ??= this.check()
        .catch(() => undefined) // the disk itself is at fault, which statements tell of
        .finally(() => (this.checking = undefined));
    }, LOOK_EVERY_MS).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.checking;
  }

  /** A transaction cannot be repeated from within, so it finds room from the start. */
  beforeTransaction(): void {
    if (this.held) giveUpReserve(this.client.name, false);
  }

  /**
   * Repeats a statement that found the disk full, when it stood alone: in a transaction all of it is undone. To delete the
   * file of the database may even grow a little, since what is left can have to move, and piece after piece is given up.
   * @throws the error, unless a repeat succeeds
   */
  again<T>(error: unknown, { sql, alone }: { sql: string; alone: boolean }, run: () => T): T {
    if (!isDiskFull(error)) throw error;
    const isDelete = DELETE.test(sql);
    const findRoom = () => giveUpReserve(this.client.name, isDelete);
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

  /** From now on the database has no more pages than it has now: the least limit there can be. */
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

  /** With bytes that no file system can compress or leave out. */
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
