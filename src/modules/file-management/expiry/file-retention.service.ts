import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { type RetentionStep, TenantData } from '../../../common/tenants/tenant-data.js';
import { expireOldFiles, removeOldFiles } from './file-retention.queries.js';
import { FileExpiry } from './file-expiry.job.js';

/**
 * Removes files unchanged for longer than the tenant's retention period. They expire first and are then deleted, content before rows.
 * So a crash leaves no blob without a row, and content pinned by queued emails is stored until they are sent.
 */
@Injectable()
export class FileRetentionService {
  constructor(
    private readonly database: Database,
    private readonly expiry: FileExpiry,
    data: TenantData,
  ) {
    data.addRetained({ kind: 'files', remove: (tenantId, olderThan, { limit }) => this.remove(tenantId, olderThan, limit) });
  }

  private async remove(tenantId: string, before: Date, limit: number): Promise<RetentionStep> {
    const { database } = this;
    const old = { tenantId, before, limit };
    const now = new Date();
    const expired = await database.of(tenantId).$executeRaw(expireOldFiles(database.dialect, old, now));
    if (expired > 0) await this.expiry.expireFiles(now);
    const removed = await database.of(tenantId).$executeRaw(removeOldFiles(database.dialect, old));
    return { removed, more: Math.max(expired, removed) === limit };
  }
}
