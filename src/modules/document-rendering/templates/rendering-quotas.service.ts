import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { AppError } from '../../../common/base/app-error.js';
import { type TenantQuota, TenantQuotas } from '../../../common/tenants/tenant-quotas.js';
import { stylesheetCounts, templateCounts } from './templates.queries.js';

/** Limits the number of a tenant's templates and stylesheets. */
@Injectable()
export class RenderingQuotasService {
  readonly templates: TenantQuota;
  readonly stylesheets: TenantQuota;

  constructor(database: Database, quotas: TenantQuotas) {
    this.templates = quotas.of({
      limit: 'templates',
      count: async (tenantId) => (await templateCounts(database, [tenantId])).get(tenantId) ?? 0,
      refusal: tooMany('templates'),
    });
    this.stylesheets = quotas.of({
      limit: 'stylesheets',
      count: async (tenantId) => (await stylesheetCounts(database, [tenantId])).get(tenantId) ?? 0,
      refusal: tooMany('stylesheets'),
    });
  }
}

const tooMany = (what: string) => (limit: number, used: number) =>
  new AppError('PAYLOAD_TOO_LARGE', `The tenant may have at most ${limit} ${what} and has ${used}; delete some first`);
