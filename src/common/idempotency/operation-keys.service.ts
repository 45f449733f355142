import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { TenantTransaction } from '../database/tenant-database.js';
import { isUniqueViolation } from '../base/database-faults.js';
import { type IdempotencyKey, oldestKept } from './idempotency-key.js';
import type { FirstUse } from './once.js';

/** Tenant and operation that own a set of keys. */
interface KeySpace {
  tenantId: string;
  operation: string;
}

/**
 * Stores idempotency keys of operations whose result does not fit a column of one row (decision 099): a push can have a thousand
 * messages, and a rendered file has pages and warnings.
 */
@Injectable()
export class OperationKeysService {
  constructor(private readonly database: Database) {}

  async find<R>({ tenantId, operation }: KeySpace, { idempotencyKey: key }: IdempotencyKey): Promise<FirstUse<R> | undefined> {
    const row = await this.database.of(tenantId).operationKey.findUnique({
      where: { tenantId_operation_key: { tenantId, operation, key }, createdAt: { gt: oldestKept() } },
    });
    return row ? { inputHash: row.inputHash, result: JSON.parse(row.result) as R } : undefined;
  }

  /** Stores a key with its result, and runs `write`. Returns false, and stores nothing, if another use came first. */
  async first(
    space: KeySpace,
    key: IdempotencyKey,
    result: unknown,
    write: (tx: TenantTransaction) => Promise<void>,
  ): Promise<boolean> {
    const store = async (tx: TenantTransaction) => {
      await this.storeWithin(tx, space, key, result);
      await write(tx);
    };
    return this.unlessTaken(this.database.of(space.tenantId).$transaction(store));
  }

  /** Stores a key in the transaction of its change. `unlessTaken` awaits the end of that transaction. */
  async storeWithin(
    tx: TenantTransaction,
    { tenantId, operation }: KeySpace,
    { idempotencyKey: key, inputHash }: IdempotencyKey,
    result: unknown,
  ): Promise<void> {
    const data = { inputHash, result: JSON.stringify(result), createdAt: new Date() };
    await tx.operationKey.deleteMany({ where: { operation, key, createdAt: { lte: oldestKept() } } });
    await tx.operationKey.create({ data: { tenantId, operation, key, ...data } });
  }

  /** Awaits a transaction that inserts a key. Returns false if the key was already taken. */
  async unlessTaken(stored: Promise<void>): Promise<boolean> {
    try {
      await stored;
      return true;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }
}
