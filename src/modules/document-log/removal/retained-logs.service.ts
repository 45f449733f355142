import { Injectable } from '@nestjs/common';
import { Logger } from '../../../common/logging/logger.js';
import { NOTHING_ERASED, PersonData } from '../../../common/retention/person-data.js';
import { type RemovalStep, RetainedData } from '../../../common/retention/retained-data.js';
import { ADMIN_TENANT } from '../../../common/tenants/tenant-names.js';
import { LogFormatService } from '../leaves/log-format.service.js';
import { LogErasureService } from './log-erasure.service.js';
import { LogRetentionService } from './log-retention.service.js';

/** Records that one step erases. */
const STEP = 1_000;

/**
 * Erases persons in log records, and removes records that were kept for the period of their tenant. Keeps all of them until the leaves are salted, and always
 * those of administration, which say who removed what.
 */
@Injectable()
export class RetainedLogs {
  private isWarned = false;

  constructor(
    private readonly retention: LogRetentionService,
    private readonly format: LogFormatService,
    private readonly logger: Logger,
    erasure: LogErasureService,
    persons: PersonData,
    retained: RetainedData,
  ) {
    persons.add({
      kind: 'log records',
      erase: async (tenantId, { authorId }) =>
        authorId === null ? NOTHING_ERASED : erasure.erase(tenantId, { authorId }, { limit: STEP }),
    });
    retained.add({ kind: 'logs', remove: (tenantId, olderThan, bounds) => this.remove(tenantId, olderThan, bounds) });
  }

  private async remove(tenantId: string, olderThan: Date, bounds: { limit: number }): Promise<RemovalStep> {
    if (tenantId === ADMIN_TENANT) return { removed: 0, more: false };
    if (await this.format.isSalted()) return this.retention.remove(tenantId, olderThan, bounds);
    if (!this.isWarned) {
      this.isWarned = true;
      this.logger.warn(
        { tenantId },
        'log records are kept beyond their period until, once all nodes are newer than 0.1.0, you run: platform-services log salt',
      );
    }
    return { removed: 0, more: false };
  }
}
