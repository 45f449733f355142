import { Injectable } from '@nestjs/common';
import { isId, uuidv7 } from '../base/ids.js';
import { isUniqueViolation } from '../base/database-faults.js';
import { type AllTenants, type AllTenantsTransaction, Database } from '../database/database.js';
import { AppError, notFound, quoted } from '../base/app-error.js';
import { ADMIN_TENANT, checkTenantName } from '../tenants/tenant-names.js';
import { checkText, MAX_NAME } from '../base/text.js';
import type { ApiKeyModel } from '../../generated/sqlite/models.js';
import { apiKeyPrefix, checkKeyLifetime, checkKeyName, generateApiKey, hashApiKey, isApiKey } from './api-key.js';
import { KeyBinding } from '../signing/key-binding.js';
import { endTokens } from '../tokens/cutoffs.queries.js';
import { type KeyUse, keyUse } from './keys.queries.js';
import { knownOperations } from './operations.js';
import { ALL_SCOPES, checkScopeOf, isWider, normaliseScope } from './scopes.js';

const DEFAULT_TENANT = 'default';

export interface KeyOrder {
  name?: string | null;
  scope: string;
  expiresInSeconds?: number | null;
}

/** New values of a key; undefined ones are unchanged. */
export interface KeyChange {
  name?: string | null;
  scope?: string;
  /** Lifetime from now on; null for none. */
  expiresInSeconds?: number | null;
  /** Allows more entries, and a later expiry. */
  mayWiden: boolean;
}

/** Stored key, without its secret. */
export type StoredKey = ApiKeyModel;

/** Newly created key with its secret. */
export interface NewKey {
  secret: string;
  stored: StoredKey;
}

/** Records a change of a key in the transaction of that change. A new key has no `before`. */
export type NoteKeyChange = (
  transaction: AllTenantsTransaction,
  before: StoredKey | undefined,
  after: StoredKey,
) => Promise<unknown>;

const unnoted = (): Promise<void> => Promise.resolve();

/**
 * Manages keys. The secret of a key leaves this class once, when it is created; its SHA-256 is stored. A change and its record
 * are written in one transaction.
 */
@Injectable()
export class ApiKeysService {
  private readonly everyTenant: AllTenants;

  constructor(
    private readonly database: Database,
    private readonly binding: KeyBinding,
  ) {
    this.everyTenant = database.acrossTenants('only the operator manages keys');
  }

  /** Creates a key, and its tenant if it does not exist. Only this method can create keys with entries of admin-api. */
  async create(
    { tenant, name, scope, expiresInSeconds }: KeyOrder & { tenant: string },
    note: NoteKeyChange = unnoted,
  ): Promise<string> {
    checkTenantName('tenant', tenant);
    checkKeyName('name', name);
    const entries = checkedScope(tenant, scope);
    checkKeyLifetime('expires-in', expiresInSeconds);
    const tenantId = await this.tenantId(tenant);
    const { secret } = await this.store({ tenantId, name, scope: entries, expiresInSeconds }, note);
    return secret;
  }

  /** Creates a key of a tenant. @throws BAD_USER_INPUT; NOT_FOUND for an unknown tenant; FAILED_PRECONDITION for one being deleted */
  createFor(tenantId: string, { name, scope, expiresInSeconds }: KeyOrder, note: NoteKeyChange): Promise<NewKey> {
    if (!isId(tenantId)) throw notFound(`Tenant ${quoted(tenantId)}`);
    checkKeyName('input.name', name);
    const entries = checkedScope(tenantId, scope, 'input.');
    checkKeyLifetime('input.expiresIn', expiresInSeconds);
    return this.store({ tenantId, name, scope: entries, expiresInSeconds }, note);
  }

  list() {
    return this.everyTenant.apiKey.findMany({ include: { tenant: true }, orderBy: { id: 'asc' } });
  }

  /** Returns keys of a tenant created after the key with the id `after`. */
  some(tenantId: string, { after = '', limit }: { after?: string; limit: number }): Promise<StoredKey[]> {
    return this.database.of(tenantId).apiKey.findMany({ where: { id: { gt: after } }, orderBy: { id: 'asc' }, take: limit });
  }

  /** Reads the key usage of tenants. Returns a lookup by tenant id. */
  useOf(tenantIds: string[]): Promise<(tenantId: string) => KeyUse> {
    return keyUse(this.database, tenantIds);
  }

  /** Returns a key of any tenant except the admin tenant. @throws NOT_FOUND */
  async find(id: string): Promise<StoredKey> {
    const key = isId(id) ? await this.everyTenant.apiKey.findUnique({ where: { id } }) : null;
    if (!key || key.tenantId === ADMIN_TENANT) throw notFound(`Key ${quoted(id)}`);
    return key;
  }

  /**
   * Creates a key with the same name and rights, and expires the old one after the overlap. Without a lifetime, the new key expires
   * when the old one would have.
   * @throws FAILED_PRECONDITION for an unusable key; CONFLICT after a concurrent change
   */
  async rotate(
    old: StoredKey,
    { overlapSeconds, expiresInSeconds }: { overlapSeconds: number; expiresInSeconds?: number | null },
    note: NoteKeyChange,
  ): Promise<NewKey> {
    checkKeyLifetime('input.expiresIn', expiresInSeconds);
    this.checkUsable(old);
    const grant = { tenantId: old.tenantId, name: old.name, scope: old.scope, expiresInSeconds, expiresAt: old.expiresAt };
    return this.store(grant, async (transaction, _, created) => {
      const end = new Date(Math.min(Date.now() + overlapSeconds * 1000, old.expiresAt?.getTime() ?? Infinity));
      const ending = { ...old, expiresAt: end };
      const { id, hash, tenantId, scope, expiresAt: before } = old;
      const { count } = await transaction.apiKey.updateMany({
        where: { id, hash, tenantId, scope, expiresAt: before, revokedAt: null },
        data: { expiresAt: end, mac: this.binding.macOf(ending) },
      });
      if (count === 0) throw changedConcurrently(id);
      await endTokens(transaction, { tenantId, subject: id });
      await note(transaction, undefined, created);
      await note(transaction, old, ending);
    });
  }

  /**
   * Replaces name, scope and expiry of a key; undefined values are unchanged. Only the name of an unusable key can be changed.
   * @throws BAD_USER_INPUT; NOT_FOUND; FORBIDDEN to widen a key without `mayWiden`; FAILED_PRECONDITION for a new scope or expiry of an
   * unusable key; CONFLICT after a concurrent change
   */
  async update(id: string, change: KeyChange, note: NoteKeyChange): Promise<StoredKey> {
    checkText('id', id, { max: MAX_NAME });
    checkKeyName('input.name', change.name);
    checkKeyLifetime('input.expiresIn', change.expiresInSeconds);
    return this.everyTenant.$transaction(async (transaction) => {
      const before = await transaction.apiKey.findUnique({ where: { id } });
      if (!before) throw notFound(`Key ${quoted(id)}`);
      const after = this.changed(before, change);
      const { hash, tenantId, scope, expiresAt, revokedAt, mac } = before;
      const { count } = await transaction.apiKey.updateMany({
        where: { id, hash, tenantId, scope, expiresAt, revokedAt, mac },
        data: { name: after.name, scope: after.scope, expiresAt: after.expiresAt, mac: after.mac },
      });
      if (count === 0) throw changedConcurrently(id);
      if (isWider(scope, after.scope) || endsLater(before, after)) await endTokens(transaction, { tenantId, subject: id });
      await note(transaction, before, after);
      return after;
    });
  }

  private changed(before: StoredKey, { name = before.name, scope, expiresInSeconds, mayWiden }: KeyChange): StoredKey {
    if (scope === undefined && expiresInSeconds === undefined) return { ...before, name };
    this.checkUsable(before);
    const after = {
      ...before,
      name,
      scope: scope === undefined ? before.scope : checkedScope(before.tenantId, scope, 'input.'),
      expiresAt: expiresInSeconds === undefined ? before.expiresAt : endOf(new Date(), expiresInSeconds),
    };
    if (!mayWiden && (endsLater(after, before) || isWider(after.scope, before.scope))) {
      throw new AppError(
        'FORBIDDEN',
        'To add entries to a key or extend its life, the caller needs admin-api:mutation:createKey',
      );
    }
    return { ...after, mac: this.binding.macOf(after) };
  }

  /** Also refuses an unbound key: its row was altered in the database, and a change would make it usable. @throws FAILED_PRECONDITION */
  private checkUsable(key: StoredKey): void {
    const hasEnded = key.expiresAt !== null && key.expiresAt <= new Date();
    if (!key.revokedAt && !hasEnded && this.binding.isBound(key)) return;
    throw new AppError('FAILED_PRECONDITION', `Key ${key.id} is revoked, expired or not bound to SECRET_KEY; create a new key`);
  }

  /** Revokes a key, on every node within 5 seconds. Revoking it again keeps the first revocation time. */
  async revoke(id: string, note: NoteKeyChange = unnoted): Promise<void> {
    checkText('id', id, { min: 1, max: 64 });
    const revokedAt = new Date();
    await this.everyTenant.$transaction(async (transaction) => {
      const before = await transaction.apiKey.findUnique({ where: { id } });
      if (!before) throw notFound(`Key ${id}`);
      const { count } = await transaction.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt, mac: '' } });
      if (count === 0) return;
      await endTokens(transaction, { tenantId: before.tenantId, subject: id });
      await note(transaction, before, { ...before, revokedAt });
    });
  }

  /** Creates the first key of a new deployment. Returns undefined if a tenant exists. */
  async createFirst(): Promise<string | undefined> {
    if (await this.everyTenant.tenant.findFirst()) return undefined;
    const key = generateApiKey();
    try {
      // Nested, so in one transaction: if two nodes start concurrently, the unique name refuses one of them.
      const { tenantId: id, ...firstKey } = this.row(key, { tenantId: uuidv7(), scope: ALL_SCOPES });
      await this.everyTenant.tenant.create({
        data: { id, name: DEFAULT_TENANT, createdAt: new Date(), keys: { create: firstKey } },
      });
      return key;
    } catch (error) {
      if (isUniqueViolation(error)) return undefined;
      throw error;
    }
  }

  /**
   * Stores BOOTSTRAP_API_KEY, with all scopes and for tenant `default`, unless it is stored already. A revoked key stays
   * revoked. Returns whether the key is usable.
   */
  async ensure(key: string): Promise<boolean> {
    if (!isApiKey(key)) {
      throw new AppError('BAD_USER_INPUT', 'BOOTSTRAP_API_KEY must be a key as printed by: platform-services keys generate');
    }
    const tenantId = await this.tenantId(DEFAULT_TENANT);
    try {
      await this.everyTenant.apiKey.create({ data: this.row(key, { tenantId, scope: ALL_SCOPES }) });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
    const stored = await this.everyTenant.apiKey.findUniqueOrThrow({ where: { hash: hashApiKey(key) } });
    const isValid = stored.revokedAt === null && (stored.expiresAt === null || stored.expiresAt > new Date());
    return isValid && this.binding.isBound(stored);
  }

  /** Stores a key for the tenant of the grant. */
  private store(grant: Grant, note: NoteKeyChange): Promise<NewKey> {
    const secret = generateApiKey();
    return this.everyTenant.$transaction(async (transaction) => {
      const tenant = await transaction.tenant.findUnique({ where: { id: grant.tenantId } });
      if (!tenant) throw notFound(`Tenant ${grant.tenantId}`);
      if (tenant.deletingAt) throw new AppError('FAILED_PRECONDITION', `Tenant ${tenant.name} is being deleted`);
      const stored = await transaction.apiKey.create({ data: this.row(secret, grant) });
      await note(transaction, undefined, stored);
      return { secret, stored };
    });
  }

  private row(key: string, { tenantId, name = null, scope, expiresInSeconds, expiresAt = null }: Grant) {
    const createdAt = new Date();
    const end = endOf(createdAt, expiresInSeconds) ?? expiresAt;
    const grant = { hash: hashApiKey(key), tenantId, scope, expiresAt: end };
    return { id: uuidv7(), name, prefix: apiKeyPrefix(key), createdAt, ...grant, mac: this.binding.macOf(grant) };
  }

  private async tenantId(name: string): Promise<string> {
    const found = await this.everyTenant.tenant.findUnique({ where: { name } });
    if (found && name === ADMIN_TENANT && found.id !== ADMIN_TENANT) {
      throw new AppError(
        'FAILED_PRECONDITION',
        `The name ${ADMIN_TENANT} is reserved, but an ordinary tenant has it; delete that tenant first`,
      );
    }
    if (found) return found.id;
    const id = name === ADMIN_TENANT ? ADMIN_TENANT : uuidv7();
    try {
      return (await this.everyTenant.tenant.create({ data: { id, name, createdAt: new Date() } })).id;
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      return (await this.everyTenant.tenant.findUniqueOrThrow({ where: { name } })).id;
    }
  }
}

/** Tenant and rights of a new key, and its expiry: after a lifetime, at a time, or never. */
interface Grant extends KeyOrder {
  tenantId: string;
  expiresAt?: Date | null;
}

const changedConcurrently = (id: string): AppError =>
  new AppError('CONFLICT', `Key ${id} was changed concurrently; check it, then try again`);

const endsLater = (one: StoredKey, other: StoredKey): boolean =>
  (one.expiresAt?.getTime() ?? Infinity) > (other.expiresAt?.getTime() ?? Infinity);

/** Returns the time of expiry after a lifetime; null without one. */
const endOf = (start: Date, seconds: number | null | undefined): Date | null =>
  typeof seconds === 'number' ? new Date(start.getTime() + seconds * 1000) : null;

/** Normalizes a scope. @throws BAD_USER_INPUT for an unknown entry, or one that keys of the tenant cannot have */
function checkedScope(tenant: string, scope: string, path = ''): string {
  const entries = normaliseScope(scope, knownOperations(), `${path}scope`);
  checkScopeOf(tenant, entries, `${path}scope`);
  return entries;
}
