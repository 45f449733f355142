import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '../common/auth/api-keys.service.js';
import { BoundKeysService } from '../common/auth/bound-keys.service.js';
import type { RetentionPeriods } from '../common/config/retention-periods.js';
import type { TenantLimits } from '../common/config/tenant-limits.js';
import { notFound } from '../common/base/app-error.js';
import { columns } from '../common/base/printable.js';
import { type LimitChanges, type RetentionChanges, TenantsService } from '../common/tenants/tenants.service.js';
import { COMMAND_LINE } from '../modules/admin/audit.service.js';
import { checkInput } from '../common/base/text.js';
import { ErasePersonInput } from '../modules/admin/admin.inputs.js';
import { KeyAdministrationService } from '../modules/admin/key-administration.service.js';
import { PersonErasuresService } from '../modules/admin/person-erasures.service.js';
import { TenantAdministrationService } from '../modules/admin/tenant-administration.service.js';

/** Command-line names of the limits, in the order of `tenants list`. */
const LIMIT_NAMES: Record<keyof TenantLimits, string> = {
  storedBytes: 'stored-bytes',
  files: 'files',
  waitingMessages: 'waiting-messages',
  templates: 'templates',
  stylesheets: 'stylesheets',
  mailsPerDay: 'mails-per-day',
  waitingEvents: 'waiting-events',
};
const LIMITS = Object.entries(LIMIT_NAMES) as [keyof TenantLimits, string][];

/** Implements the commands for keys and tenants. */
@Injectable()
export class AdminCommands {
  constructor(
    readonly keys: ApiKeysService,
    readonly boundKeys: BoundKeysService,
    readonly ofKeys: KeyAdministrationService,
    private readonly tenants: TenantsService,
    private readonly ofTenants: TenantAdministrationService,
    private readonly erasures: PersonErasuresService,
  ) {}

  /** Returns one line per tenant. */
  async listTenants(): Promise<string[]> {
    const [all, usage] = await Promise.all([this.tenants.list(), this.ofTenants.usageOfAll()]);
    const names = new Map(all.map(({ id, name }) => [id, name]));
    return all.map(({ id, name, createdAt, limits, state, parentId }) => {
      const used = usage(id);
      const usages = LIMITS.map(([key]) => `${used[key]}/${formatLimit(limits[key], '-')}`);
      const ending = parentId === null ? (state === 'ACTIVE' ? [] : [state]) : [state, names.get(parentId) ?? parentId];
      return columns(name, createdAt.toISOString(), ...usages, ...ending);
    });
  }

  /** Changes the given limits, and returns one line per limit. */
  async limitTenant(name: string, changes: LimitChanges): Promise<string[]> {
    const before = await this.tenants.named(name);
    const isChange = Object.keys(changes).length > 0;
    const { id, limits, own } = isChange ? await this.ofTenants.setLimits(COMMAND_LINE, before.id, changes) : before;
    const used = await this.ofTenants.usageOf(id);
    return LIMITS.map(([key, label]) =>
      columns(label, formatLimit(limits[key], 'unlimited'), used[key], own.has(key) ? 'own' : 'default'),
    );
  }

  /** Changes the given retention periods, and returns one line per period. */
  async retainFor(name: string, changes: RetentionChanges): Promise<string[]> {
    const before = await this.tenants.named(name);
    const isChange = Object.keys(changes).length > 0;
    const { retention, ownRetention } = isChange ? await this.ofTenants.setRetention(COMMAND_LINE, before.id, changes) : before;
    return (Object.keys(retention) as (keyof RetentionPeriods)[]).map((kind) =>
      columns(kind, formatLimit(retention[kind], 'forever'), ownRetention.has(kind) ? 'own' : 'default'),
    );
  }

  /** Requests the erasure of a person, and returns its id. */
  async erasePerson(name: string, identifiers: object): Promise<string> {
    const { id } = await this.tenants.named(name);
    const { tenantId, ...person } = checkInput(ErasePersonInput.rules, { tenantId: id, ...identifiers }, 'erase-person');
    return (await this.erasures.order(COMMAND_LINE, tenantId, person)).id;
  }

  /** Returns the state of an erasure as one line. */
  async showErasure(id: string): Promise<string> {
    const found = await this.erasures.find(id);
    if (!found) throw notFound(`The erasure ${id}`);
    const counts = Object.entries(found.erased).map(([kind, count]) => `${count} ${kind}`);
    const problem = found.problem ? [found.problem] : [];
    return columns(found.endedAt ? 'DONE' : 'RUNNING', counts.join(', ') || 'nothing', ...problem);
  }

  /** Creates a tenant, and returns its id. */
  async createTenant(name: string, parent?: string): Promise<string> {
    const parentId = parent === undefined ? null : (await this.tenants.named(parent)).id;
    return (await this.ofTenants.create(COMMAND_LINE, { name, parentId })).id;
  }

  /** Sets the parent of a tenant; none without a name. */
  async setParent(name: string, parent?: string): Promise<void> {
    const parentId = parent === undefined ? null : (await this.tenants.named(parent)).id;
    await this.ofTenants.setParent(COMMAND_LINE, (await this.tenants.named(name)).id, parentId);
  }

  async suspendTenant(name: string): Promise<void> {
    await this.ofTenants.suspend(COMMAND_LINE, (await this.tenants.named(name)).id);
  }

  async resumeTenant(name: string): Promise<void> {
    await this.ofTenants.resume(COMMAND_LINE, (await this.tenants.named(name)).id);
  }

  async hasTenant(name: string): Promise<boolean> {
    return (await this.tenants.list()).some((tenant) => tenant.name === name);
  }

  async deleteTenant(name: string, confirmation: string): Promise<void> {
    await this.ofTenants.delete(COMMAND_LINE, (await this.tenants.named(name)).id, confirmation);
  }
}

const formatLimit = (value: number, none: string): string => (value === Infinity ? none : String(value));
