// Room: Disk space, and files closed to other users.
import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { MIB } from '../base/amounts.js';

const KEPT_FREE_BYTES = 64 * MIB;
/** Bytes after which free space is measured again, since other programs write to the disk too. */
const MEASURE_EVERY_BYTES = 4 * MIB;
/** Maximum that an upload reserves ahead of its bytes. Below this, it reserves as much as has arrived. */
const STEP_BYTES = MIB;

export interface DiskRoom {
  freeBytes: number;
  /** Free bytes that only the database may use: 64 MiB, or half of a disk smaller than 128 MiB. */
  keptFreeBytes: number;
}

export function roomOf({ bavail, blocks, bsize }: StatsFs): DiskRoom {
  return { freeBytes: bavail * bsize, keptFreeBytes: Math.min(KEPT_FREE_BYTES, (blocks * bsize) / 2) };
}

/**
 * Tracks the bytes that may still be written to the disk of a folder. The last 64 MiB are reserved for the database, which needs
 * space to delete. An upload reserves space in steps ahead of its bytes, not for its announced size, so a sender reserves no more
 * than it has sent. When space runs out, the newest upload is aborted, so that earlier ones can finish.
 */
export class DiskSpace {
  /** Free bytes at the last measurement, less those that have arrived since. */
  private spareBytes = 0;
  private sinceMeasuredBytes = 0;
  private heldBytes = 0;
  /** Bytes of aborted uploads about to be removed. They count as free. */
  private removingBytes = 0;
  /** Uploads with bytes on the disk, oldest first. */
  private readonly claims = new Set<DiskClaim>();

  constructor(private readonly folder: string) {}

  /**
   * Begins an upload of the announced size. Returns undefined if it does not fit now.
   * @param giveWay called at most once, if others need the space and the content must be removed
   */
  async claim(announcedBytes: number, giveWay: () => void = () => undefined): Promise<DiskClaim | undefined> {
    await this.measure();
    if (announcedBytes > this.spareBytes - this.heldBytes) return undefined;
    return new DiskClaim(this, announcedBytes, giveWay);
  }

  /** Counts bytes of a claim, and adjusts its reservation. Returns false if the claim must be given up. */
  arrive(claim: DiskClaim, sizeBytes: number): boolean {
    if (claim.gaveWay) return false;
    this.claims.add(claim);
    claim.arrivedBytes += sizeBytes;
    this.spareBytes -= sizeBytes;
    this.sinceMeasuredBytes += sizeBytes;
    if (this.sinceMeasuredBytes >= MEASURE_EVERY_BYTES) void this.measure().catch(() => undefined);
    this.hold(claim, 0);
    while (this.spareBytes < this.heldBytes) {
      const youngest = [...this.claims].at(-1)!;
      this.makeGiveWay(youngest);
      if (youngest === claim) return false;
      youngest.giveWay();
    }
    const { announcedBytes, arrivedBytes } = claim;
    const aheadBytes = Math.min(STEP_BYTES, arrivedBytes, announcedBytes - arrivedBytes, this.spareBytes - this.heldBytes);
    this.hold(claim, Math.max(aheadBytes, 0));
    return true;
  }

  end(claim: DiskClaim): void {
    this.hold(claim, 0);
    this.claims.delete(claim);
    if (claim.gaveWay) this.removingBytes -= claim.arrivedBytes;
  }

  private hold(claim: DiskClaim, bytes: number): void {
    this.heldBytes += bytes - claim.aheadBytes;
    claim.aheadBytes = bytes;
  }

  private makeGiveWay(claim: DiskClaim): void {
    this.hold(claim, 0);
    this.claims.delete(claim);
    claim.gaveWay = true;
    this.removingBytes += claim.arrivedBytes;
    this.spareBytes += claim.arrivedBytes;
  }

  private async measure(): Promise<void> {
    this.sinceMeasuredBytes = 0;
    const { freeBytes, keptFreeBytes } = roomOf(await statfs(this.folder));
    this.spareBytes = freeBytes - keptFreeBytes - this.sinceMeasuredBytes + this.removingBytes;
  }
}

/** Disk space of one upload. */
export class DiskClaim {
  arrivedBytes = 0;
  /** Bytes reserved beyond those that have arrived. */
  aheadBytes = 0;
  gaveWay = false;

  constructor(
    private readonly space: DiskSpace,
    readonly announcedBytes: number,
    readonly giveWay: () => void,
  ) {}

  /** Counts bytes being written. Returns false if they do not fit, and the content must be removed. */
  take(sizeBytes: number): boolean {
    return this.space.arrive(this, sizeBytes);
  }

  /** Releases the claim. Call it once everything is written or removed. */
  end(): void {
    this.space.end(this);
  }
}
