import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { type Sql, sql } from '../../../common/database/sql/sql.js';
import { BackgroundJobs } from '../../../common/jobs/background-jobs.js';
import { Logger } from '../../../common/logging/logger.js';
import { TenantData } from '../../../common/tenants/tenant-data.js';
import type { FolderDeletionModel } from '../../../generated/sqlite/models.js';
import { BlobStore } from '../blob-store/blob-store.js';
import { FileDeletionsService, type FolderToDelete } from './file-deletions.service.js';

const EVERY_MS = 2_000;
const isDue = (dialect: Dialect): Sql =>
  sql`EXISTS (SELECT 1 FROM "FolderDeletion" WHERE "askedAt" <= ${dialect.time(new Date())})`;
/** Number of folders per run. */
const MAX_FOLDERS = 100;
/** Time spent on one folder before the next. */
const FOLDER_MS = 5_000;

/**
 * Continues the deletion of folders, longest waiting first. Steps are idempotent, so another node can continue after a crash. Nothing
 * is deleted while the store is down, since blobs would remain.
 */
@Injectable()
export class FolderDeletionJob {
  constructor(
    private readonly database: Database,
    private readonly deletions: FileDeletionsService,
    private readonly blobs: BlobStore,
    private readonly logger: Logger,
    jobs: BackgroundJobs,
    data: TenantData,
  ) {
    data.addRows('deletions of folders', 'FolderDeletion', 'tenantId', 'folderHash');
    jobs.add({ name: 'folder-deletion', everyMs: EVERY_MS, due: isDue, run: (signal) => this.run(signal) });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { folderDeletion } = this.database.acrossTenants('the job works for every tenant');
    // Requests of a node with a faster clock wait until this node's clock has reached them.
    const where = { askedAt: { lte: new Date() } };
    for (const one of await folderDeletion.findMany({ where, orderBy: { askedAt: 'asc' }, take: MAX_FOLDERS })) {
      if (signal.aborted) return;
      await this.continueDeletion(one, signal).catch((error: unknown) => {
        this.logger.warn(
          { err: error, tenantId: one.tenantId },
          'files of a folder could not be deleted; the deletion is retried',
        );
      });
    }
  }

  private async continueDeletion(one: FolderDeletionModel, signal: AbortSignal): Promise<void> {
    const { tenantId, folderHash, folder, askedAt } = one;
    await this.blobs.check();
    const until = performance.now() + FOLDER_MS;
    const rest: FolderToDelete = { tenantId, folder, askedAt };
    for (let more = true; more;) {
      if (signal.aborted || performance.now() > until) return;
      ({ more } = await this.deletions.deleteSome(rest));
    }
    // Kept if the folder was requested again meanwhile.
    await this.database.of(tenantId).folderDeletion.deleteMany({ where: { folderHash, askedAt } });
  }
}
