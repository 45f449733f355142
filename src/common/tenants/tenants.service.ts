import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import type { TenantLimits } from '../config/tenant-limits.js';
import { Database } from '../database/database.js';
import { notFound } from '../errors/app-error.js';
import { checkText } from '../validation/text.js';
import { LIMIT_COLUMNS, limitsOf } from './limits.js';

/** A tenant as its operator sees it. */
export interface Tenant {
  id: string;
  name: string;
  createdAt: Date;
  limits: TenantLimits;
  /** Names of the limits that are its own, not those of the settings. */
  own: ReadonlySet<keyof TenantLimits>;
}

/** Infinity means no limit; `default` means the limit of the settings. */
export type LimitChange = number | 'default';
export type LimitChanges = Partial<Record<keyof TenantLimits, LimitChange>>;

const NAMES = Object.keys(LIMIT_COLUMNS) as (keyof TenantLimits)[];

/** Lists tenants and sets their limits. */
@Injectable()
export class TenantsService {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** Returns all tenants in the order of their creation, or the one of a name. @throws NOT_FOUND if no tenant has that name */
  async list(name?: string): Promise<Tenant[]> {
    if (name !== undefined) checkText('name', name, { min: 1, max: 256 });
    const rows = await this.database.tenant.findMany({ where: { name }, orderBy: { id: 'asc' } });
    if (rows.length === 0 && name !== undefined) throw notFound(`Tenant ${name}`);
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      createdAt: row.createdAt,
      limits: limitsOf(row, this.config.tenantLimits),
      own: new Set(NAMES.filter((limit) => row[LIMIT_COLUMNS[limit]] !== null)),
    }));
  }

  /** Takes effect on every node within 5 seconds. Usage that is over a limit already stays. */
  async setLimits(name: string, changes: LimitChanges): Promise<void> {
    checkText('name', name, { min: 1, max: 256 });
    const data = Object.fromEntries(
      NAMES.filter((limit) => changes[limit] !== undefined).map((limit) => [LIMIT_COLUMNS[limit], columnValue(changes[limit]!)]),
    );
    const { count } = await this.database.tenant.updateMany({ where: { name }, data });
    if (count === 0) throw notFound(`Tenant ${name}`);
  }
}

function columnValue(limit: LimitChange): bigint | null {
  if (limit === 'default') return null;
  return limit === Infinity ? 0n : BigInt(limit);
}
