import { Injectable } from '@nestjs/common';
import { AppError, notFound } from '../base/app-error.js';
import { checkText } from '../base/text.js';
import { type AllTenants, Database } from '../database/database.js';
import { KeyBinding } from '../signing/key-binding.js';
import { keysAfter, type KeyRow } from './keys.queries.js';

const PAGE = 500;

/** Binds stored keys to SECRET_KEY, so that a key whose row was altered in the database is refused. */
@Injectable()
export class BoundKeysService {
  private readonly everyTenant: AllTenants;

  constructor(
    private readonly database: Database,
    private readonly binding: KeyBinding,
  ) {
    this.everyTenant = database.acrossTenants('only the operator binds keys');
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
}
