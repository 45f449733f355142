import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '../../common/auth/api-keys.service.js';
import type { Caller } from '../../common/auth/caller.js';
import type { KeyUse } from '../../common/auth/keys.queries.js';
import type { TenantLimits } from '../../common/config/tenant-limits.js';
import { Database } from '../../common/database/database.js';
import { Cursors } from '../../common/lists/cursors.js';
import type { Page } from '../../common/lists/page.js';
import { Batcher } from '../../common/scheduling/batcher.js';
import { TenantData } from '../../common/tenants/tenant-data.js';
import { TenantUsage } from '../../common/tenants/tenant-usage.js';
import {
  type LimitChanges,
  type NoteChange,
  type RetentionChanges,
  type Tenant,
  TenantsService,
} from '../../common/tenants/tenants.service.js';
import { checkInput, checkText, containedText, MAX_NAME } from '../../common/base/text.js';
import type { TenantRemainder } from './tenant.model.js';
import { type Actor, AuditService } from './audit.service.js';
import { idsOfTenants } from './tenant-search.queries.js';

/** Tenants per query of usage, children or keys. */
const MAX_LOOKED_AT = 1_000;

/** Filter of tenants by exact name or by part of it. */
interface TenantsWanted {
  name?: string | null;
  contains?: string | null;
}

/** Administers tenants for the API and the command line, and logs each action. */
@Injectable()
export class TenantAdministrationService {
  private readonly usage = new Batcher<string, TenantLimits>(
    async (ids) => ids.map(await this.tenantUsage.of([...new Set(ids)])),
    { maxLength: MAX_LOOKED_AT },
  );
  private readonly children = new Batcher<string, number>(
    async (ids) => ids.map(await this.tenants.childrenOf([...new Set(ids)])),
    { maxLength: MAX_LOOKED_AT },
  );
  private readonly keyUse = new Batcher<string, KeyUse>(async (ids) => ids.map(await this.keys.useOf([...new Set(ids)])), {
    maxLength: MAX_LOOKED_AT,
  });

  constructor(
    private readonly database: Database,
    private readonly tenants: TenantsService,
    private readonly keys: ApiKeysService,
    private readonly tenantUsage: TenantUsage,
    private readonly data: TenantData,
    private readonly audit: AuditService,
    private readonly cursors: Cursors,
  ) {}

  find(id: string): Promise<Tenant | null> {
    checkText('id', id, { max: MAX_NAME });
    return this.tenants.find(id);
  }

  /** Returns a page of tenants in creation order. */
  async page(
    { tenantId, budget }: Caller,
    { name, contains }: TenantsWanted,
    nextToken: string | null,
    limitOrNone: number | null,
  ): Promise<Page<Tenant>> {
    if (typeof name === 'string') checkText('name', name, { max: MAX_NAME });
    if (typeof contains === 'string') checkInput(containedText, contains, 'contains');
    const limit = this.cursors.limit(limitOrNone);
    const filter = { name: name ?? null, ...(contains && { contains }) };
    const context = { tenantId, operation: 'tenants', filter };
    const after = this.cursors.after(nextToken, context);
    if (contains) {
      const { ids, more } = await idsOfTenants(this.database, { contains, name, after }, { limit, budget });
      // Build the cursor from the ids found: a tenant may have been deleted since.
      const page = this.cursors.page(ids, more, (id) => id, context);
      return { ...page, items: ids.length > 0 ? await this.tenants.withIds(ids) : [] };
    }
    const found = await this.tenants.some({ after, limit: limit + 1, name });
    return this.cursors.firstOf(found, limit, context);
  }

  usageOfAll(): Promise<(tenantId: string) => TenantLimits> {
    return this.tenantUsage.of();
  }

  usageOf(id: string): Promise<TenantLimits> {
    return this.usage.add(id);
  }

  childrenOf(id: string): Promise<number> {
    return this.children.add(id);
  }

  keyUseOf(id: string): Promise<KeyUse> {
    return this.keyUse.add(id);
  }

  /** Returns the remaining data of a tenant being deleted; null for any other tenant. */
  async remainderOf({ id, state }: Pick<Tenant, 'id' | 'state'>): Promise<TenantRemainder[] | null> {
    if (state !== 'DELETING') return null;
    const counted: TenantRemainder[] = [];
    for (const { kind, count } of this.data.kinds) counted.push({ kind, count: await count(id) });
    return counted.filter(({ count }) => count > 0);
  }

  /** Creates a tenant. `prefix` begins the names of fields in errors. */
  create(actor: Actor, tenant: { name: string; parentId?: string | null | undefined }, prefix?: string): Promise<Tenant> {
    return this.tenants.create(tenant, this.noted(actor, 'createTenant'), prefix);
  }

  setParent(actor: Actor, id: string, parentId: string | null): Promise<Tenant> {
    return this.tenants.setParent(id, parentId, this.noted(actor, 'setTenantParent'));
  }

  setLimits(actor: Actor, id: string, changes: LimitChanges): Promise<Tenant> {
    return this.tenants.setLimits(id, changes, this.noted(actor, 'setTenantLimits'));
  }

  setRetention(actor: Actor, id: string, changes: RetentionChanges): Promise<Tenant> {
    return this.tenants.setRetention(id, changes, this.noted(actor, 'setTenantRetention'));
  }

  suspend(actor: Actor, id: string): Promise<Tenant> {
    return this.tenants.suspend(id, this.noted(actor, 'suspendTenant'));
  }

  resume(actor: Actor, id: string): Promise<Tenant> {
    return this.tenants.resume(id, this.noted(actor, 'resumeTenant'));
  }

  delete(actor: Actor, id: string, name: string): Promise<Tenant> {
    return this.tenants.beginDeletion(id, name, this.noted(actor, 'deleteTenant'));
  }

  private noted(actor: Actor, action: string): NoteChange {
    return (transaction, change) => this.audit.tenant(transaction, actor, action, change);
  }
}
