import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { PrismaService } from '../database/prisma.service.js';
import { notFound } from '../errors/app-error.js';
import { checkText } from '../validation/text.js';
import { LIMIT_COLUMNS, limitsOf, type TenantLimits } from './limits.js';

/** A tenant as its operator sees it. */
export interface Tenant {
  id: string;
  name: string;
  createdAt: Date;
  limits: TenantLimits;
  /** Whose limits are its own, and not those of the settings. */
  own: ReadonlySet<keyof TenantLimits>;
}

/** Infinity: no limit; `default`: what the settings say. */
export type LimitChange = number | 'default';
export type LimitChanges = Partial<Record<keyof TenantLimits, LimitChange>>;

const NAMES = Object.keys(LIMIT_COLUMNS) as (keyof TenantLimits)[];

/** Tenants and what each may have. */
@Injectable()
export class TenantsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
  ) {}

  /** In the order of their creation; one of them if a name is given. @throws NOT_FOUND when there is none of that name */
  async list(name?: string): Promise<Tenant[]> {
    if (name !== undefined) checkText('name', name, { min: 1, max: 256 });
    const rows = await this.prisma.tenant.findMany({ where: { name }, orderBy: { id: 'asc' } });
    if (rows.length === 0 && name !== undefined) throw notFound(`Tenant ${name}`);
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      createdAt: row.createdAt,
      limits: limitsOf(row, this.config.tenantLimits),
      own: new Set(NAMES.filter((limit) => row[LIMIT_COLUMNS[limit]] !== null)),
    }));
  }

  /** Takes effect on every node within 5 seconds. What is over a limit already stays. */
  async setLimits(name: string, changes: LimitChanges): Promise<void> {
    checkText('name', name, { min: 1, max: 256 });
    const data = Object.fromEntries(
      NAMES.filter((limit) => changes[limit] !== undefined).map((limit) => [LIMIT_COLUMNS[limit], stored(changes[limit]!)]),
    );
    const { count } = await this.prisma.tenant.updateMany({ where: { name }, data });
    if (count === 0) throw notFound(`Tenant ${name}`);
  }
}

function stored(limit: LimitChange): bigint | null {
  if (limit === 'default') return null;
  return limit === Infinity ? 0n : BigInt(limit);
}
