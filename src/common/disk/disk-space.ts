import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';

const MIB = 1024 * 1024;
const KEPT_FREE_BYTES = 64 * MIB;
/** The disk is looked at again after this many bytes, since others write to it too. */
const LOOK_EVERY_BYTES = 4 * MIB;

export interface DiskRoom {
  freeBytes: number;
  /** The part of these that only the database may use: 64 MiB, or half of a disk smaller than 128 MiB. */
  keptFreeBytes: number;
}

export function roomOf({ bavail, blocks, bsize }: StatsFs): DiskRoom {
  return { freeBytes: bavail * bsize, keptFreeBytes: Math.min(KEPT_FREE_BYTES, (blocks * bsize) / 2) };
}

/**
 * Counts the bytes that may still be written to the disk of a folder. The last 64 MiB are not given out: the database needs room
 * to delete. Claimed bytes that have not arrived count as taken, so that contents that fit only one by one do not all begin.
 */
export class DiskSpace {
  private claimedBytes = 0;
  private spareBytes = 0;
  private sinceLookBytes = 0;

  constructor(private readonly folder: string) {}

  /** Claims room for content. Returns undefined if there is not enough. */
  async claim(sizeBytes: number): Promise<DiskClaim | undefined> {
    await this.look();
    if (sizeBytes > this.spareBytes - this.claimedBytes) return undefined;
    this.claimedBytes += sizeBytes;
    let leftBytes = sizeBytes;
    const arrived = (bytes: number) => {
      leftBytes -= bytes;
      this.claimedBytes -= bytes;
    };
    return {
      take: (bytes) => {
        arrived(Math.min(bytes, leftBytes));
        return this.take(bytes);
      },
      end: () => arrived(leftBytes),
    };
  }

  private take(sizeBytes: number): boolean {
    this.spareBytes -= sizeBytes;
    this.sinceLookBytes += sizeBytes;
    if (this.sinceLookBytes >= LOOK_EVERY_BYTES) void this.look().catch(() => undefined);
    return this.spareBytes >= 0;
  }

  private async look(): Promise<void> {
    this.sinceLookBytes = 0;
    const { freeBytes, keptFreeBytes } = roomOf(await statfs(this.folder));
    this.spareBytes = freeBytes - keptFreeBytes - this.sinceLookBytes;
  }
}

/** Room for content that is on its way. */
export interface DiskClaim {
  /** Counts bytes that are being written. Returns false if others have used up the disk meanwhile. */
  take(sizeBytes: number): boolean;
  /** Ends the claim. Call it once everything is written, or nothing more will be. */
  end(): void;
}
