import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { AppError } from '../../../common/base/app-error.js';
import { type TenantQuota, TenantQuotas } from '../../../common/tenants/tenant-quotas.js';
import { fileUsage } from './usage.queries.js';

/** Limits the number and total size of a tenant's files. */
@Injectable()
export class FileQuotasService {
  readonly files: TenantQuota;
  readonly storedBytes: TenantQuota;

  constructor(database: Database, quotas: TenantQuotas) {
    const usageOf = async (tenantId: string) => (await fileUsage(database, [tenantId])).get(tenantId);
    this.files = quotas.of({
      limit: 'files',
      count: async (tenantId) => (await usageOf(tenantId))?.files ?? 0,
      refusal: (limit, used) => tooMany(`The tenant may have at most ${limit} files and has ${used}; delete some first`),
    });
    this.storedBytes = quotas.of({
      limit: 'storedBytes',
      count: async (tenantId) => (await usageOf(tenantId))?.storedBytes ?? 0,
      refusal: (limit, used, amount) =>
        tooMany(`The tenant may store at most ${limit} bytes, has ${used}, and this adds ${amount}; delete some files first`),
    });
  }
}

const tooMany = (message: string): AppError => new AppError('PAYLOAD_TOO_LARGE', message);
