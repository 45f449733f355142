import { Injectable } from '@nestjs/common';
import { Logger } from '../../../common/logging/logger.js';
import { BackgroundJobs } from '../../../common/jobs/background-jobs.js';
import { FileReconcilerService } from './file-reconciler.service.js';

const EVERY_MS = 24 * 60 * 60_000;

/** Reconciles once a day, on one node. */
@Injectable()
export class FileReconciler {
  constructor(
    private readonly reconciler: FileReconcilerService,
    private readonly logger: Logger,
    jobs: BackgroundJobs,
  ) {
    jobs.add({ name: 'file-reconciler', everyMs: EVERY_MS, run: () => this.run() });
  }

  private async run(): Promise<void> {
    const { orphanedBlobs, youngBlobs, lostContents, wrongUsage } = await this.reconciler.reconcile({ dryRun: false });
    const found = { orphanedBlobs: orphanedBlobs.length, youngBlobs: youngBlobs.length, lostContents, wrongUsage };
    this.logger[lostContents.length + wrongUsage.length > 0 ? 'error' : 'info'](found, 'files were reconciled');
  }
}
