import { Args, ID, Int, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { MaxItems } from '../../common/scheduling/list-size.js';
import type { Caller } from '../../common/auth/caller.js';
import { AccessByScope } from '../../common/graphql/access/access.guard.js';
import { CurrentCaller } from '../../common/graphql/access/graphql-context.js';
import { DateTime } from '../../common/graphql/types/date-time.scalar.js';
import { Limit, NextToken } from '../../common/lists/page-of.js';
import { CONTAINS, DEFAULT_LIMIT, MAX_LIMIT, type Page } from '../../common/lists/page.js';
import type { Tenant as StoredTenant } from '../../common/tenants/tenants.service.js';
import { checkInput } from '../../common/base/text.js';
import { Cheap } from '../../common/scheduling/work-class.js';
import { PARENT_WITHIN_MS } from '../../common/tenants/parent-tenants.js';
import { SUSPENDED_WITHIN_MS } from '../../common/tenants/suspended-tenants.js';
import { LIMITED_WITHIN_MS } from '../../common/tenants/tenant-limits-reader.js';
import { asCount, asSeconds } from '../../common/base/amounts.js';
import { actorOf } from './audit.service.js';
import { TenantAdministrationService } from './tenant-administration.service.js';
import { CreateTenantInput, limitsRules, retentionRules, TenantLimitInput, TenantRetentionInput } from './admin.inputs.js';
import {
  MAX_KINDS,
  MAX_LIMITS,
  MAX_RETAINED,
  RetainedKind,
  Tenant,
  TenantLimit,
  TenantLimitName,
  TenantRemainder,
  TenantRetention,
  TenantsResult,
} from './tenant.model.js';

const OTHERWISE = 'NOT_FOUND for an unknown id; FAILED_PRECONDITION while the tenant is being deleted.';

const TENANTS = {
  tenant: 'Returns a tenant; null for an unknown id and after its deletion.',
  tenants: `Lists tenants in creation order. limit is 1 to ${asCount(MAX_LIMIT)}, ${asCount(DEFAULT_LIMIT)} by default.`,
  tenantsName: 'Exact name, case-sensitive.',
  tenantsContains: `Part of the name, ${CONTAINS}`,
  createTenant:
    'Creates a tenant without keys. CONFLICT if the name is taken, even by a tenant being deleted; the errors of setTenantParent for its ' +
    'parent.',
  setTenantParent:
    `Sets or removes the parent of a tenant, on every node within ${asSeconds(PARENT_WITHIN_MS)} s. NOT_FOUND for an unknown id; ` +
    'FAILED_PRECONDITION for a parent with a parent or a tenant with children, since there is one level only, and while either is being ' +
    'deleted.',
  setTenantLimits:
    `Sets limits, on every node within ${asSeconds(LIMITED_WITHIN_MS)} s. Other limits remain unchanged, as does ` +
    `usage over a limit. ${OTHERWISE}`,
  setTenantRetention:
    'Sets retention periods. After shortening one, the irreversible deletion of older data starts within a ' +
    `minute. Other kinds remain unchanged. ${OTHERWISE}`,
  suspendTenant:
    `Suspends a tenant. Within ${asSeconds(SUSPENDED_WITHIN_MS)} s, every node rejects its keys, URLs and tokens (FORBIDDEN), and ` +
    `closes the connections of its recipients with code 4403. Its mails and messages queue. Idempotent. ${OTHERWISE}`,
  resumeTenant: `Resumes a suspended tenant, within ${asSeconds(SUSPENDED_WITHIN_MS)} s. Idempotent. ${OTHERWISE}`,
  deleteTenant:
    'Starts to delete a tenant with all its data, irreversibly. Responds immediately, with the state ' +
    'DELETING: poll remaining for progress; the tenant is null once deleted. Idempotent. NOT_FOUND for an ' +
    'unknown id; BAD_USER_INPUT if name is not that of the tenant; FAILED_PRECONDITION for a parent of other tenants.',
  children: 'Number of tenants of which it is the parent.',
  activeKeys: 'Number of keys that are neither revoked nor expired.',
  lastUsedAt: 'Time of the last use of any of its keys, to the minute; null for never.',
  limits: 'All six limits and their usage.',
  retention: 'Retention periods by kind of data.',
  remaining: `Data still to be removed, by kind, at most ${MAX_KINDS}; null unless the tenant is DELETING.`,
};

const nullable = true;
const TENANT_ID = { type: () => ID, description: 'Id of the tenant.' };

@Resolver(() => Tenant)
@AccessByScope('admin')
export class TenantsResolver {
  constructor(private readonly administration: TenantAdministrationService) {}

  @Cheap()
  @Query(() => Tenant, { nullable, description: TENANTS.tenant })
  tenant(@Args('id', TENANT_ID) id: string): Promise<StoredTenant | null> {
    return this.administration.find(id);
  }

  @Query(() => TenantsResult, { nullable, description: TENANTS.tenants })
  tenants(
    @CurrentCaller() caller: Caller,
    @Args('name', { type: () => String, nullable, description: TENANTS.tenantsName })
    name: string | null,
    @Args('contains', { type: () => String, nullable, description: TENANTS.tenantsContains })
    contains: string | null,
    @NextToken('name and contains') nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<Page<StoredTenant>> {
    return this.administration.page(caller, { name, contains }, nextToken, limit);
  }

  @Cheap()
  @Mutation(() => Tenant, { nullable, description: TENANTS.createTenant })
  createTenant(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'Tenant to create.' }) input: CreateTenantInput,
  ): Promise<StoredTenant> {
    return this.administration.create(actorOf(caller), checkInput(CreateTenantInput.rules, input), 'input.');
  }

  @Cheap()
  @Mutation(() => Tenant, { nullable, description: TENANTS.setTenantParent })
  setTenantParent(
    @CurrentCaller() caller: Caller,
    @Args('id', TENANT_ID) id: string,
    @Args('parentId', { type: () => ID, nullable, description: 'Id of the parent; null or omitted for none.' })
    parentId: string | null,
  ): Promise<StoredTenant> {
    return this.administration.setParent(actorOf(caller), id, parentId ?? null);
  }

  @Cheap()
  @Mutation(() => Tenant, { nullable, description: TENANTS.setTenantLimits })
  setTenantLimits(
    @CurrentCaller() caller: Caller,
    @Args('id', TENANT_ID) id: string,
    @Args('limits', { type: () => [TenantLimitInput], description: `Limits to set, 1 to ${MAX_LIMITS}, each once.` })
    limits: TenantLimitInput[],
  ): Promise<StoredTenant> {
    const wanted = checkInput(limitsRules, limits, 'limits').map(({ name, limit }) => [
      name,
      limit === 0 ? Infinity : (limit ?? 'default'),
    ]);
    return this.administration.setLimits(actorOf(caller), id, Object.fromEntries(wanted));
  }

  @Cheap()
  @Mutation(() => Tenant, { nullable, description: TENANTS.setTenantRetention })
  setTenantRetention(
    @CurrentCaller() caller: Caller,
    @Args('id', TENANT_ID) id: string,
    @Args('retention', {
      type: () => [TenantRetentionInput],
      description: `Periods to set, 1 to ${MAX_RETAINED}, each kind once.`,
    })
    retention: TenantRetentionInput[],
  ): Promise<StoredTenant> {
    const wanted = checkInput(retentionRules, retention, 'retention').map(({ kind, days }) => [kind, days ?? null]);
    return this.administration.setRetention(actorOf(caller), id, Object.fromEntries(wanted));
  }

  @Cheap()
  @Mutation(() => Tenant, { nullable, description: TENANTS.suspendTenant })
  suspendTenant(@CurrentCaller() caller: Caller, @Args('id', TENANT_ID) id: string): Promise<StoredTenant> {
    return this.administration.suspend(actorOf(caller), id);
  }

  @Cheap()
  @Mutation(() => Tenant, { nullable, description: TENANTS.resumeTenant })
  resumeTenant(@CurrentCaller() caller: Caller, @Args('id', TENANT_ID) id: string): Promise<StoredTenant> {
    return this.administration.resume(actorOf(caller), id);
  }

  @Cheap()
  @Mutation(() => Tenant, { nullable, description: TENANTS.deleteTenant })
  deleteTenant(
    @CurrentCaller() caller: Caller,
    @Args('id', TENANT_ID) id: string,
    @Args('name', { type: () => String, description: 'Name of the same tenant, to confirm.' }) name: string,
  ): Promise<StoredTenant> {
    return this.administration.delete(actorOf(caller), id, name);
  }

  @ResolveField('children', () => Int, { nullable, description: TENANTS.children })
  childrenOf(@Parent() { id }: StoredTenant): Promise<number> {
    return this.administration.childrenOf(id);
  }

  @ResolveField('activeKeys', () => Int, { nullable, description: TENANTS.activeKeys })
  async activeKeysOf(@Parent() { id }: StoredTenant): Promise<number> {
    return (await this.administration.keyUseOf(id)).activeKeys;
  }

  @ResolveField('lastUsedAt', () => DateTime, { nullable, description: TENANTS.lastUsedAt })
  async lastUseOf(@Parent() { id }: StoredTenant): Promise<Date | null> {
    return (await this.administration.keyUseOf(id)).lastUsedAt;
  }

  @MaxItems(MAX_LIMITS)
  @ResolveField('limits', () => [TenantLimit], { nullable: 'itemsAndList', description: TENANTS.limits })
  async limitsOf(@Parent() { id, limits, own }: StoredTenant): Promise<TenantLimit[]> {
    const usage = await this.administration.usageOf(id);
    return Object.values(TenantLimitName).map((name) => {
      return { name, limit: limits[name] === Infinity ? null : limits[name], used: usage[name], isOwn: own.has(name) };
    });
  }

  @MaxItems(MAX_RETAINED)
  @ResolveField('retention', () => [TenantRetention], { nullable: 'itemsAndList', description: TENANTS.retention })
  retentionOf(@Parent() { retention, ownRetention }: StoredTenant): TenantRetention[] {
    return Object.values(RetainedKind).map((kind) => {
      return { kind, days: retention[kind] === Infinity ? null : retention[kind], isOwn: ownRetention.has(kind) };
    });
  }

  @MaxItems(MAX_KINDS, { counted: 20 })
  @ResolveField('remaining', () => [TenantRemainder], { nullable: 'itemsAndList', description: TENANTS.remaining })
  remainderOf(@Parent() tenant: StoredTenant): Promise<TenantRemainder[] | null> {
    return this.administration.remainderOf(tenant);
  }
}
