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
import { keysAfter, type KeyRow, type KeyUse, keyUse } from './keys.queries.js';
import { knownOperations } from './operations.js';
import { ALL_SCOPES, checkScopeOf, normaliseScope } from './scopes.js';

const DEFAULT_TENANT = 'default';
const PAGE = 500;

export interface KeyOrder {
  name?: string | null;
  scope: string;
  expiresInSeconds?: number | null;
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
    // Refuses an unbound key too: its row was altered in the database, and rotation would replace it with a usable key.
    const hasEnded = old.expiresAt !== null && old.expiresAt <= new Date();
    if (old.revokedAt || hasEnded || !this.binding.isBound(old)) {
      throw new AppError('FAILED_PRECONDITION', `Key ${old.id} is revoked, expired or not bound to SECRET_KEY; create a new key`);
    }
    const grant = { tenantId: old.tenantId, name: old.name, scope: old.scope, expiresInSeconds, expiresAt: old.expiresAt };
    return this.store(grant, async (transaction, _, created) => {
      const end = new Date(Math.min(Date.now() + overlapSeconds * 1000, old.expiresAt?.getTime() ?? Infinity));
      const ending = { ...old, expiresAt: end };
      const { id, hash, tenantId, scope, expiresAt: before } = old;
      const { count } = await transaction.apiKey.updateMany({
        where: { id, hash, tenantId, scope, expiresAt: before, revokedAt: null },
        data: { expiresAt: end, mac: this.binding.macOf(ending) },
      });
      if (count === 0) throw new AppError('CONFLICT', `Key ${id} was changed concurrently; check it, then try again`);
      await note(transaction, undefined, created);
      await note(transaction, old, ending);
    });
  }

  /** Sets the name of a key, even of an expired or revoked one; null removes it. @throws BAD_USER_INPUT; NOT_FOUND */
  async rename(id: string, name: string | null, note: NoteKeyChange): Promise<StoredKey> {
    checkText('id', id, { max: MAX_NAME });
    checkKeyName('name', name);
    return this.everyTenant.$transaction(async (transaction) => {
      const before = await transaction.apiKey.findUnique({ where: { id } });
      if (!before) throw notFound(`Key ${quoted(id)}`);
      const after = await transaction.apiKey.update({ where: { id }, data: { name } });
      await note(transaction, before, after);
      return after;
    });
  }

  /** Revokes a key, on every node within 5 seconds. Revoking it again keeps the first revocation time. */
  async revoke(id: string, note: NoteKeyChange = unnoted): Promise<void> {
    checkText('id', id, { min: 1, max: 64 });
    const revokedAt = new Date();
    await this.everyTenant.$transaction(async (transaction) => {
      const before = await transaction.apiKey.findUnique({ where: { id } });
      if (!before) throw notFound(`Key ${id}`);
      const { count } = await transaction.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt, mac: '' } });
      if (count > 0) await note(transaction, before, { ...before, revokedAt });
    });
  }

  /**
   * Binds a key to SECRET_KEY as its row stands, after SECRET_KEY was replaced. Takes effect on every node within 5 seconds.
   * @throws NOT_FOUND; FAILED_PRECONDITION for a revoked key
   */
  async bind(id: string): Promise<void> {
    checkText('id', id, { min: 1, max: 64 });
    const stored = await this.everyTenant.apiKey.findUnique({ where: { id } });
    if (!stored) throw notFound(`Key ${id}`);
    if (stored.revokedAt) throw new AppError('FAILED_PRECONDITION', `Key ${id} was revoked and stays revoked; create a new one`);
    const { hash, tenantId, scope, expiresAt } = stored;
    const mac = this.binding.macOf(stored);
    await this.everyTenant.apiKey.updateMany({ where: { id, hash, tenantId, scope, expiresAt, revokedAt: null }, data: { mac } });
  }

  /** Binds the keys of other known secrets to SECRET_KEY, and returns their number. Skips keys bound to no known secret. */
  async rebind(): Promise<number> {
    let bound = 0;
    for await (const { key, secretId } of this.live()) {
      if (secretId === undefined || secretId === this.binding.currentId) continue;
      const { id, hash, tenantId, scope, expiresAt, mac } = key;
      const where = { id, hash, tenantId, scope, expiresAt, mac, revokedAt: null };
      const { count } = await this.everyTenant.apiKey.updateMany({ where, data: { mac: this.binding.macOf(key) } });
      bound += count;
    }
    return bound;
  }

  /** Counts the keys by the secret they are bound to; undefined stands for keys bound to no known secret. */
  async bindings(limit = Infinity): Promise<Map<string | undefined, number>> {
    const counts = new Map<string | undefined, number>();
    let seen = 0;
    for await (const { secretId } of this.live()) {
      if (seen++ >= limit) break;
      counts.set(secretId, (counts.get(secretId) ?? 0) + 1);
    }
    return counts;
  }

  /** Yields keys that are neither revoked nor expired. */
  private async *live(): AsyncGenerator<{ key: KeyRow; secretId: string | undefined }> {
    for (let after = '', page: KeyRow[]; ; after = page.at(-1)!.id) {
      page = await keysAfter(this.database, after, PAGE);
      const now = Date.now();
      for (const key of page) {
        if ((key.expiresAt?.getTime() ?? Infinity) > now) yield { key, secretId: this.binding.boundTo(key) };
      }
      // On SQLite, an id altered to a value other than text would be returned by every query.
      if (page.length < PAGE || page.at(-1)!.id <= after) return;
    }
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
    const end = typeof expiresInSeconds === 'number' ? new Date(createdAt.getTime() + expiresInSeconds * 1000) : expiresAt;
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

/** Normalizes a scope. @throws BAD_USER_INPUT for an unknown entry, or one that keys of the tenant cannot have */
function checkedScope(tenant: string, scope: string, path = ''): string {
  const entries = normaliseScope(scope, knownOperations(), `${path}scope`);
  checkScopeOf(tenant, entries, `${path}scope`);
  return entries;
}
