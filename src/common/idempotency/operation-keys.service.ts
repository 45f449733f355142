import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { TenantTransaction } from '../database/tenant-database.js';
import { isUniqueViolation } from '../base/database-faults.js';
import { type IdempotencyKey, oldestKept } from './idempotency-key.js';
import type { FirstUse } from './once.js';

/** The tenant and the operation of keys: each pair has keys of its own. */
interface KeySpace {
  tenantId: string;
  operation: string;
}

/**
 * Idempotency keys of operations whose result no column of one row can hold (decision 099): a push can have a thousand messages,
 * and a rendered file has pages and warnings.
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

  /** Stores a key with its result, and what `write` stores. Returns false, and stores nothing, if another use came first. */
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

  /** Stores a key in the transaction of what it stands for, whose end `unlessTaken` reads. */
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

  /** Returns whether a transaction that stores a key was made; false if another use of the key came first. */
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
