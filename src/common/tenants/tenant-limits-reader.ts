import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { upToEntries } from '../base/amounts.js';
import { Config } from '../config/config.js';
import type { TenantLimits } from '../config/tenant-limits.js';
import { Database } from '../database/database.js';
import { limitsOf } from './limits.js';

/** Time within which a change takes effect on every node. */
export const LIMITED_WITHIN_MS = 5_000;
/** Cache lifetime. The remaining second is for a lookup already running. */
const CACHE_TTL_MS = LIMITED_WITHIN_MS - 1_000;
const CACHE_MAX_TENANTS = 10_000;

/** Reads the limits of tenants. Caches a database lookup for 4 s. */
@Injectable()
export class TenantLimitsReader {
  private readonly cache: LRUCache<string, TenantLimits>;

  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {
    this.cache = new LRUCache({
      ...upToEntries(CACHE_MAX_TENANTS),
      ttl: CACHE_TTL_MS,
      fetchMethod: async (id) => limitsOf(await this.database.of(id).tenant.findFirst(), this.config.tenantLimits),
    });
  }

  /** Returns the limits of a tenant, Infinity where it has none. */
  async of(tenantId: string): Promise<TenantLimits> {
    return (await this.cache.fetch(tenantId))!;
  }
}
