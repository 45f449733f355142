import { Module } from '@nestjs/common';
import { DiskWatch } from './disk-watch.js';

/** Watches the disks that this node writes to. */
@Module({ providers: [DiskWatch] })
export class DiskModule {}
