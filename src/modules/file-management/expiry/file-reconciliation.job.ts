import { Injectable } from '@nestjs/common';
import { Logger } from '../../../common/logging/logger.js';
import { BackgroundJobs } from '../../../common/jobs/background-jobs.js';
import { FileReconciliationService } from './file-reconciliation.service.js';

const EVERY_MS = 24 * 60 * 60_000;

/** Runs the reconciliation once a day, on one node. */
@Injectable()
export class FileReconciliation {
  constructor(
    private readonly reconciliation: FileReconciliationService,
    private readonly logger: Logger,
    jobs: BackgroundJobs,
  ) {
    jobs.add({ name: 'file-reconciliation', everyMs: EVERY_MS, run: () => this.run() });
  }

  private async run(): Promise<void> {
    const { orphanedBlobs, youngBlobs, lostContents, wrongUsage } = await this.reconciliation.reconcile({ dryRun: false });
    const found = { orphanedBlobs: orphanedBlobs.length, youngBlobs: youngBlobs.length, lostContents, wrongUsage };
    this.logger[lostContents.length + wrongUsage.length > 0 ? 'error' : 'info'](found, 'files were reconciled');
  }
}
