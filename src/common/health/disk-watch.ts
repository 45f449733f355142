import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../config/config.js';
import { type DiskRoom, roomOf } from '../disk/disk-space.js';
import { Logger } from '../logging/logger.js';
import { Metrics } from '../metrics/metrics.js';
import { Degraded, Readiness } from './readiness.js';

/** Reports the free space of the node's disks, and whether other users can open DATA_DIR. */
@Injectable()
export class DiskWatch implements OnModuleInit {
  /** Watched folders, by their names in the metrics. */
  private readonly folders: Map<string, string>;

  constructor(
    private readonly config: Config,
    readiness: Readiness,
    private readonly metrics: Metrics,
    private readonly logger: Logger,
  ) {
    this.folders = new Map([['data', config.dataDir]]);
    const database = config.databaseFile && dirname(config.databaseFile);
    if (database && database !== config.dataDir) this.folders.set('database', database);
    readiness.add('disk', 'node', () => this.check());
    metrics.beforeReading(() => this.measure());
  }

  /** Warns if other users can open DATA_DIR. They cannot open its files, but could list or even remove them. */
  async onModuleInit(): Promise<void> {
    const { mode } = await stat(this.config.dataDir).catch(() => ({ mode: 0 }));
    if ((mode & 0o077) === 0) return;
    const octalMode = (mode & 0o777).toString(8).padStart(4, '0');
    this.logger.warn(
      { folder: this.config.dataDir, mode: octalMode },
      'other users of this machine can open DATA_DIR: chmod 700',
    );
  }

  /** Checks all disks. @throws Degraded if the space reserved for the database is in use, or a disk was remounted read-only after an error */
  private async check(): Promise<void> {
    if (this.config.usesDataDir) {
      for (const [name, folder] of this.folders) {
        if (await isReadOnly(folder))
          throw new Degraded(`the disk of the folder "${name}" accepts no changes: it is mounted read-only`);
      }
    }
    for (const [name, { freeBytes, keptFreeBytes }] of await this.rooms()) {
      if (freeBytes < keptFreeBytes) {
        throw new Degraded(`the disk of the folder "${name}" has only ${freeBytes} bytes free: uploads are refused`);
      }
    }
  }

  private async measure(): Promise<void> {
    for (const [folder, { freeBytes, keptFreeBytes }] of await this.rooms()) {
      this.metrics.diskFree.set({ folder }, freeBytes);
      this.metrics.diskShort.set({ folder }, freeBytes < keptFreeBytes ? 1 : 0);
    }
  }

  /** Measures each existing folder. A node that stores nothing on disk has none. */
  private async rooms(): Promise<[string, DiskRoom][]> {
    const rooms: [string, DiskRoom][] = [];
    for (const [name, folder] of this.folders) {
      const found = await statfs(folder).catch(() => undefined);
      if (found) rooms.push([name, roomOf(found)]);
    }
    return rooms;
  }
}

async function isReadOnly(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'EROFS',
  );
}
