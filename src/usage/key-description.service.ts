import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/auth/caller.js';
import { type Service, SERVICES, touchesService } from '../common/auth/scopes.js';
import type { TenantLimits } from '../common/config/tenant-limits.js';
import { Database } from '../common/database/database.js';
import { TenantLimitsReader } from '../common/tenants/tenant-limits-reader.js';
import { TenantUsage } from '../common/tenants/tenant-usage.js';

/** Description of a key or an access token, for its holder. */
export interface KeyDescription {
  /** Id of the key, also for a token. */
  id: string;
  /** Name of the key, or null; null for a token. */
  name: string | null;
  /** Part of the key that logs show. */
  prefix: string;
  scope: string[];
  /** Expiry, or null. */
  expiresAt: string | null;
  tenant: { id: string; name: string };
  /** Limits of the tenant that belong to services of the key. `limit` is null if unlimited. */
  limits: { name: keyof TenantLimits; limit: number | null; used: number }[];
}

/** Services that each limit belongs to. A key sees nothing of services without an entry in its scope. */
const OWNERS: Record<keyof TenantLimits, readonly Service[]> = {
  storedBytes: ['file-management'],
  files: ['file-management'],
  waitingMessages: ['websockets-manager'],
  templates: ['document-rendering'],
  stylesheets: ['document-rendering'],
  mailsPerDay: ['email'],
  waitingEvents: SERVICES,
};

/** Describes keys to their holders, and sessions to their persons. */
@Injectable()
export class KeyDescriptionService {
  constructor(
    private readonly database: Database,
    private readonly limits: TenantLimitsReader,
    private readonly usage: TenantUsage,
  ) {}

  async describe({ keyId, keyPrefix, tenantId, scope, person, token }: Caller): Promise<KeyDescription> {
    const own = this.database.of(tenantId);
    const [key, tenant, limits, used] = await Promise.all([
      person
        ? { name: person.name, expiresAt: null }
        : own.apiKey.findUniqueOrThrow({ where: { id: keyId }, select: { name: true, expiresAt: true } }),
      own.tenant.findFirst({ select: { name: true } }),
      this.limits.of(tenantId),
      this.usage.ofTenant(tenantId),
    ]);
    const names = (Object.keys(OWNERS) as (keyof TenantLimits)[]).filter((name) =>
      OWNERS[name].some((service) => touchesService(scope, service)),
    );
    return {
      id: keyId,
      name: token ? null : key.name,
      prefix: keyPrefix,
      scope: [...scope],
      expiresAt: (token ? new Date(token.expiresAt) : key.expiresAt)?.toISOString() ?? null,
      tenant: { id: tenantId, name: tenant?.name ?? tenantId }, // the tenant of admin keys has no row before the first of them
      limits: names.map((name) => ({ name, limit: Number.isFinite(limits[name]) ? limits[name] : null, used: used[name] })),
    };
  }
}
