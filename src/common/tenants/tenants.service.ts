import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import type { RetentionPeriods } from '../config/retention-periods.js';
import type { TenantLimits } from '../config/tenant-limits.js';
import { type AllTenants, type AllTenantsTransaction, Database } from '../database/database.js';
import type { Dialect } from '../database/sql/dialect.js';
import { AppError, badInput, notFound, quoted } from '../base/app-error.js';
import { isUniqueViolation } from '../base/database-faults.js';
import { isId, uuidv7 } from '../base/ids.js';
import { checkText } from '../base/text.js';
import { slotsFor } from '../scheduling/tenant-semaphore.js';
import type { TenantModel } from '../../generated/sqlite/models.js';
import { endTokens } from '../tokens/cutoffs.queries.js';
import { LIMIT_COLUMNS, limitsOf, RETENTION_COLUMNS, retentionOf } from './limits.js';
import { asTenants, checkNewParent, countChildren, lockParents, parentChange } from './parents.queries.js';
import { ADMIN_TENANT, checkTenantName, MAX_TENANT_NAME } from './tenant-names.js';

type TenantState = 'ACTIVE' | 'SUSPENDED' | 'DELETING';

/** Tenant as its operator sees it. */
export interface Tenant {
  id: string;
  name: string;
  state: TenantState;
  createdAt: Date;
  /** Tenant whose templates and domains this one reads. */
  parentId: string | null;
  suspendedAt: Date | null;
  deletingAt: Date | null;
  limits: TenantLimits;
  /** Names of the limits set for this tenant. */
  own: ReadonlySet<keyof TenantLimits>;
  retention: RetentionPeriods;
  /** Kinds of data with a retention period set for this tenant. */
  ownRetention: ReadonlySet<keyof RetentionPeriods>;
}

/** New limit. Infinity means no limit; `default` means that of the settings. */
export type LimitChange = number | 'default';
export type LimitChanges = Partial<Record<keyof TenantLimits, LimitChange>>;

/** New retention in days. Null means that of the settings. */
export type RetentionChanges = Partial<Record<keyof RetentionPeriods, number | null>>;

/** Records a change in the transaction of that change. A deletion has no `after`, and a creation no `before`. */
export type NoteChange = (transaction: AllTenantsTransaction, change: { before?: Tenant; after?: Tenant }) => Promise<unknown>;

type Change = Partial<Omit<TenantModel, 'id' | 'name' | 'createdAt'>>;
type ChangeOf = (before: Tenant, transaction: AllTenantsTransaction) => Change | Promise<Change>;

interface NewTenant {
  name: string;
  parentId?: string | null | undefined;
}

const KINDS = Object.keys(RETENTION_COLUMNS) as (keyof RetentionPeriods)[];
const NAMES = Object.keys(LIMIT_COLUMNS) as (keyof TenantLimits)[];

export const tenantBeingDeleted = (id: string): AppError => new AppError('FAILED_PRECONDITION', `Tenant ${id} is being deleted`);

/** Owns the table of tenants. Each change and its record are written in one transaction. */
@Injectable()
export class TenantsService {
  private readonly everyTenant: AllTenants;
  private readonly dialect: Dialect;
  /** Turn of changes of parents in this process. What waits for their lock holds a connection of the database. */
  private readonly parentTurn = slotsFor(1, 1);

  constructor(
    database: Database,
    private readonly config: Config,
  ) {
    this.everyTenant = database.acrossTenants('the operator manages tenants, and jobs look for those to delete');
    this.dialect = database.dialect;
  }

  /** Returns all tenants in the order of their creation. */
  async list(): Promise<Tenant[]> {
    const rows = await this.everyTenant.tenant.findMany({ where: { id: { not: ADMIN_TENANT } }, orderBy: { id: 'asc' } });
    return rows.map(this.toTenant);
  }

  /** Returns tenants created after the one with the id `after`. */
  async some({ after = '', limit, name }: { after?: string; limit: number; name?: string | null }): Promise<Tenant[]> {
    const where = { id: { gt: after, not: ADMIN_TENANT }, ...(typeof name === 'string' && { name }) };
    const rows = await this.everyTenant.tenant.findMany({ where, orderBy: { id: 'asc' }, take: limit });
    return rows.map(this.toTenant);
  }

  /** Returns the tenants with these ids, in the order of their creation. */
  async withIds(ids: string[]): Promise<Tenant[]> {
    const rows = await this.everyTenant.tenant.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } });
    return rows.map(this.toTenant);
  }

  async find(id: string): Promise<Tenant | null> {
    const row = isId(id) ? await this.everyTenant.tenant.findUnique({ where: { id } }) : null;
    return row && this.toTenant(row);
  }

  /** Returns a tenant. @throws NOT_FOUND */
  async get(id: string): Promise<Tenant> {
    const tenant = await this.find(id);
    if (!tenant) throw unknownTenant(id);
    return tenant;
  }

  /** Returns a tenant by its name. @throws NOT_FOUND */
  async named(name: string): Promise<Tenant> {
    checkText('name', name, { min: 1, max: MAX_TENANT_NAME });
    const row = name === ADMIN_TENANT ? null : await this.everyTenant.tenant.findUnique({ where: { name } });
    if (!row) throw notFound(`Tenant ${name}`);
    return this.toTenant(row);
  }

  /** Counts the children of tenants. */
  async childrenOf(parentIds: string[]): Promise<(parentId: string) => number> {
    const where = { parentId: { in: parentIds } };
    const counted = await this.everyTenant.tenant.groupBy({ by: ['parentId'], where, _count: true });
    const counts = new Map(counted.map(({ parentId, _count }) => [parentId, _count]));
    return (parentId) => counts.get(parentId) ?? 0;
  }

  /** Creates a tenant. @throws CONFLICT for a name in use, even by a tenant being deleted; the errors of `checkNewParent` */
  async create({ name, parentId = null }: NewTenant, note: NoteChange, prefix = ''): Promise<Tenant> {
    const field = `${prefix}name`;
    checkTenantName(field, name);
    if (name === ADMIN_TENANT) throw badInput(field, `must not be ${ADMIN_TENANT}, which is the tenant of the admin keys`);
    const write = () =>
      this.everyTenant.$transaction(async (transaction) => {
        const id = uuidv7();
        const parent = parentId === null ? {} : await this.newParent(transaction, id, { parentId, field: `${prefix}parentId` });
        const row = await transaction.tenant.create({ data: { id, name, createdAt: new Date(), ...parent } });
        const after = this.toTenant(row);
        await note(transaction, { after });
        return after;
      });
    try {
      return await (parentId === null ? write() : this.inTurn(write));
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new AppError('CONFLICT', `${field}: a tenant has this name, or is being deleted; choose another, or wait`, { field });
    }
  }

  /** Sets or removes the parent of a tenant, on every node within 5 seconds. @throws like `change` and `checkNewParent` */
  setParent(id: string, parentId: string | null, note: NoteChange): Promise<Tenant> {
    const changeOf: ChangeOf = async (before, transaction) =>
      before.parentId === parentId ? {} : this.newParent(transaction, id, { parentId, field: 'parentId' });
    return this.inTurn(() => this.change(id, changeOf, note));
  }

  /** Changes limits, on every node within 5 seconds. Usage already over a limit stays. @throws like `change` */
  setLimits(id: string, changes: LimitChanges, note: NoteChange): Promise<Tenant> {
    const wanted = NAMES.filter((limit) => changes[limit] !== undefined);
    const data = Object.fromEntries(wanted.map((limit) => [LIMIT_COLUMNS[limit], columnValue(changes[limit]!)]));
    return this.change(id, () => data, note);
  }

  /** Changes retention periods. Data older than a shortened period is removed within a minute, for good. @throws like `change` */
  setRetention(id: string, changes: RetentionChanges, note: NoteChange): Promise<Tenant> {
    const wanted = KINDS.filter((kind) => changes[kind] !== undefined);
    const data = Object.fromEntries(wanted.map((kind) => [RETENTION_COLUMNS[kind], changes[kind]]));
    return this.change(id, () => data, note);
  }

  /** Suspends a tenant, on every node within 4 seconds. @throws like `change` */
  suspend(id: string, note: NoteChange): Promise<Tenant> {
    return this.change(id, ({ state }) => (state === 'ACTIVE' ? { suspendedAt: new Date() } : {}), note);
  }

  /** Resumes a tenant, on every node within 4 seconds. @throws like `change` */
  resume(id: string, note: NoteChange): Promise<Tenant> {
    return this.change(id, () => ({ suspendedAt: null }), note);
  }

  /**
   * Begins a deletion, which cannot be undone. Repeating it changes nothing.
   * @throws NOT_FOUND; BAD_USER_INPUT for another name; FAILED_PRECONDITION for a parent with children
   */
  async beginDeletion(id: string, name: string, note: NoteChange): Promise<Tenant> {
    const tenant = await this.get(id);
    if (tenant.name !== name) throw badInput('name', `must be the name of the tenant with this id, to confirm its deletion`);
    if (tenant.state === 'DELETING') return tenant;
    const now = new Date();
    const changeOf: ChangeOf = async (before, transaction) => {
      await lockParents(transaction, this.dialect);
      const children = await countChildren(transaction, id);
      if (children > 0) throw hasChildren(id, children);
      const noParent = before.parentId === null ? {} : await parentChange(transaction, null);
      return { suspendedAt: tenant.suspendedAt ?? now, deletingAt: now, ...noParent };
    };
    return this.inTurn(() => this.change(id, changeOf, note));
  }

  /** Returns tenants being deleted, the longest waiting first. */
  async deleting(limit: number): Promise<Tenant[]> {
    const where = { suspendedAt: { not: null }, deletingAt: { not: null } };
    const rows = await this.everyTenant.tenant.findMany({ where, orderBy: { deletingAt: 'asc' }, take: limit });
    return rows.map(this.toTenant);
  }

  /** Removes a tenant without data. Does nothing if it is already removed. */
  async endDeletion(before: Tenant, note: NoteChange): Promise<void> {
    const { id } = before;
    await this.everyTenant.$transaction(async (transaction) => {
      const { count } = await transaction.tenant.deleteMany({ where: { id, deletingAt: { not: null } } });
      if (count === 0) return;
      // Tokens need no row of the tenant, so a cutoff must outlive it.
      await endTokens(transaction, { tenantId: ADMIN_TENANT, subject: id });
      await note(transaction, { before });
    });
  }

  /**
   * Changes a tenant, unless its state changed since it was read.
   * @throws NOT_FOUND; FAILED_PRECONDITION while the tenant is being deleted; CONFLICT after a concurrent change
   */
  private change(id: string, changeOf: ChangeOf, note: NoteChange): Promise<Tenant> {
    return this.everyTenant.$transaction(async (transaction) => {
      const row = isId(id) ? await transaction.tenant.findUnique({ where: { id } }) : null;
      if (!row) throw unknownTenant(id);
      const before = this.toTenant(row);
      if (before.state === 'DELETING') throw tenantBeingDeleted(id);
      const data = await changeOf(before, transaction);
      if (Object.keys(data).length === 0) return before;
      const { count } = await transaction.tenant.updateMany({ where: row, data });
      if (count === 0) throw new AppError('CONFLICT', `Tenant ${id} was changed concurrently; try again`);
      const after = this.toTenant({ ...row, ...data });
      await note(transaction, { before, after });
      return after;
    });
  }

  /** Runs a change of parents in its turn. @throws SERVICE_UNAVAILABLE after 10 seconds without one */
  private async inTurn<T>(change: () => Promise<T>): Promise<T> {
    await this.parentTurn.take(ADMIN_TENANT, 1);
    try {
      return await change();
    } finally {
      this.parentTurn.release(ADMIN_TENANT, 1);
    }
  }

  private async newParent(
    transaction: AllTenantsTransaction,
    id: string,
    given: { parentId: string | null; field: string },
  ): Promise<Change> {
    const { parentId, field } = given;
    await lockParents(transaction, this.dialect);
    if (parentId !== null) await checkNewParent(transaction, id, parentId, field);
    return parentChange(transaction, parentId);
  }

  private readonly toTenant = (row: TenantModel): Tenant => ({
    id: row.id,
    name: row.name,
    state: row.deletingAt ? 'DELETING' : row.suspendedAt ? 'SUSPENDED' : 'ACTIVE',
    createdAt: row.createdAt,
    parentId: row.parentId,
    suspendedAt: row.suspendedAt,
    deletingAt: row.deletingAt,
    limits: limitsOf(row, this.config.tenantLimits),
    own: new Set(NAMES.filter((limit) => row[LIMIT_COLUMNS[limit]] !== null)),
    retention: retentionOf(row, this.config.retention),
    ownRetention: new Set(KINDS.filter((kind) => row[RETENTION_COLUMNS[kind]] !== null)),
  });
}

const hasChildren = (id: string, children: number): AppError =>
  new AppError(
    'FAILED_PRECONDITION',
    `Tenant ${id} is the parent of ${asTenants(children)}; delete those first, or give them no parent`,
  );

const unknownTenant = (id: string): AppError => notFound(`Tenant ${quoted(id)}`);

function columnValue(limit: LimitChange): bigint | null {
  if (limit === 'default') return null;
  return limit === Infinity ? 0n : BigInt(limit);
}
