import { Injectable } from '@nestjs/common';
import { uuidv7 } from '../ids/ids.js';
import { isUniqueViolation } from '../errors/database-faults.js';
import { Database } from '../database/database.js';
import { AppError, badInput, notFound } from '../errors/app-error.js';
import { checkText } from '../validation/text.js';
import { apiKeyPrefix, generateApiKey, hashApiKey, isApiKey } from './api-key.js';
import { KeyBinding } from '../signing/key-binding.js';
import { knownOperations } from './operations.js';
import { ALL_SCOPES, normaliseScope } from './scopes.js';

const DEFAULT_TENANT = 'default';
const MAX_EXPIRES_IN_SECONDS = 2 ** 31 - 1;

export interface KeyOrder {
  tenant: string;
  scope: string;
  expiresInSeconds?: number;
}

/** Manages keys and their tenants. The secret of a key leaves this class once, when it is created; its SHA-256 is stored. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly database: Database,
    private readonly binding: KeyBinding,
  ) {}

  /** Creates a key, and its tenant if it does not exist. */
  async create({ tenant, scope, expiresInSeconds }: KeyOrder): Promise<string> {
    checkText('tenant', tenant, { min: 1, max: 256 });
    if (/\p{Cc}/u.test(tenant)) throw badInput('tenant', 'must not contain control characters');
    const entries = normaliseScope(scope, knownOperations());
    checkLifetime(expiresInSeconds);
    const key = generateApiKey();
    const tenantId = await this.tenantId(tenant);
    await this.database.apiKey.create({ data: this.row(key, tenantId, entries, expiresInSeconds) });
    return key;
  }

  /** all tenants: only the operator's command lists keys */
  list() {
    return this.database.apiKey.findMany({ include: { tenant: true }, orderBy: { id: 'asc' } });
  }

  /**
   * Revokes a key, on every node within 5 seconds. A second revocation keeps the time of the first.
   * all tenants: only the operator's command revokes keys
   */
  async revoke(id: string): Promise<void> {
    checkText('id', id, { min: 1, max: 64 });
    const { count } = await this.database.apiKey.updateMany({
      where: { id, revokedAt: null },
      data: { revokedAt: new Date(), mac: '' },
    });
    if (count === 0 && !(await this.database.apiKey.findUnique({ where: { id } }))) throw notFound(`Key ${id}`);
  }

  /**
   * Confirms a key as its row stands, after SECRET_KEY was replaced. Takes effect on every node within 5 seconds.
   * all tenants: only the operator's command binds keys
   * @throws NOT_FOUND; FAILED_PRECONDITION for a revoked key
   */
  async bind(id: string): Promise<void> {
    checkText('id', id, { min: 1, max: 64 });
    const stored = await this.database.apiKey.findUnique({ where: { id } });
    if (!stored) throw notFound(`Key ${id}`);
    if (stored.revokedAt) throw new AppError('FAILED_PRECONDITION', `Key ${id} was revoked and stays revoked; create a new one`);
    const { hash, tenantId, scope, expiresAt } = stored;
    const mac = this.binding.macOf(stored);
    await this.database.apiKey.updateMany({ where: { id, hash, tenantId, scope, expiresAt, revokedAt: null }, data: { mac } });
  }

  /** Creates the first key of a new deployment. Returns undefined if there is a tenant already. */
  async createFirst(): Promise<string | undefined> {
    if (await this.database.tenant.findFirst()) return undefined;
    const key = generateApiKey();
    try {
      // Nested, so in one transaction: if two nodes start at once, the unique name refuses one of them.
      const { tenantId: id, ...firstKey } = this.row(key, uuidv7(), ALL_SCOPES);
      await this.database.tenant.create({
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
   * revoked. Returns whether the key can be used. all tenants: the hash of a key is unique
   */
  async ensure(key: string): Promise<boolean> {
    if (!isApiKey(key)) {
      throw new AppError('BAD_USER_INPUT', 'BOOTSTRAP_API_KEY must be a key as printed by: platform-services keys generate');
    }
    const tenantId = await this.tenantId(DEFAULT_TENANT);
    try {
      await this.database.apiKey.create({ data: this.row(key, tenantId, ALL_SCOPES) });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
    const stored = await this.database.apiKey.findUniqueOrThrow({ where: { hash: hashApiKey(key) } });
    const isValid = stored.revokedAt === null && (stored.expiresAt === null || stored.expiresAt > new Date());
    return isValid && this.binding.isBound(stored);
  }

  private row(key: string, tenantId: string, scope: string, expiresInSeconds?: number) {
    const createdAt = new Date();
    const expiresAt = expiresInSeconds === undefined ? null : new Date(createdAt.getTime() + expiresInSeconds * 1000);
    const grant = { hash: hashApiKey(key), tenantId, scope, expiresAt };
    return { id: uuidv7(), prefix: apiKeyPrefix(key), createdAt, ...grant, mac: this.binding.macOf(grant) };
  }

  private async tenantId(name: string): Promise<string> {
    const found = await this.database.tenant.findUnique({ where: { name } });
    if (found) return found.id;
    try {
      return (await this.database.tenant.create({ data: { id: uuidv7(), name, createdAt: new Date() } })).id;
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      return (await this.database.tenant.findUniqueOrThrow({ where: { name } })).id;
    }
  }
}

function checkLifetime(seconds: number | undefined): void {
  if (seconds === undefined) return;
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > MAX_EXPIRES_IN_SECONDS) {
    throw badInput('expires-in', `must be a whole number of seconds from 1 to ${MAX_EXPIRES_IN_SECONDS}`);
  }
}
