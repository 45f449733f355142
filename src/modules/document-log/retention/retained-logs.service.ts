import { Injectable } from '@nestjs/common';
import { NOTHING_ERASED, type RetentionStep, TenantData } from '../../../common/tenants/tenant-data.js';
import { ADMIN_TENANT } from '../../../common/tenants/tenant-names.js';
import { LogErasureService } from './log-erasure.service.js';
import { LogRetentionService } from './log-retention.service.js';

/** Records erased per step. */
const RECORDS_PER_STEP = 1_000;

/**
 * Erases persons in log records, and removes records past the retention period of their tenant. Retains administration records, as they
 * document the removal.
 */
@Injectable()
export class RetainedLogs {
  constructor(
    private readonly retention: LogRetentionService,
    erasure: LogErasureService,
    data: TenantData,
  ) {
    data.addTrace({
      kind: 'log records',
      erase: async (tenantId, { authorId }) =>
        authorId === null ? NOTHING_ERASED : erasure.erase(tenantId, { authorId }, { limit: RECORDS_PER_STEP }),
    });
    data.addRetained({ kind: 'logs', remove: (tenantId, olderThan, bounds) => this.remove(tenantId, olderThan, bounds) });
  }

  private async remove(tenantId: string, olderThan: Date, bounds: { limit: number }): Promise<RetentionStep> {
    if (tenantId === ADMIN_TENANT) return { removed: 0, more: false };
    return this.retention.remove(tenantId, olderThan, bounds);
  }
}
