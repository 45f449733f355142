import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { isUniqueViolation } from '../../../common/errors/database-faults.js';
import { type IdempotencyKey, oldestKept } from '../../../common/idempotency/idempotency-key.js';
import type { FirstUse } from '../../../common/idempotency/once.js';

/** The tenant and the operation of keys: each pair has keys of its own. */
interface KeySpace {
  tenantId: string;
  operation: 'pushMessage' | 'pushGlobalMessage';
}

/**
 * Idempotency keys of pushes. They have a table, not a column (decision 099): a push can have a thousand messages, and its result
 * belongs to none of them.
 */
@Injectable()
export class PushKeysService {
  constructor(private readonly database: Database) {}

  async find<R>({ tenantId, operation }: KeySpace, { idempotencyKey: key }: IdempotencyKey): Promise<FirstUse<R> | undefined> {
    const row = await this.database.of(tenantId).pushKey.findUnique({
      where: { tenantId_operation_key: { tenantId, operation, key }, createdAt: { gt: oldestKept() } },
    });
    return row ? { inputHash: row.inputHash, result: JSON.parse(row.result) as R } : undefined;
  }

  /** Stores a key with its result, and what `write` stores. Returns false, and stores nothing, if another use came first. */
  async first(
    { tenantId, operation }: KeySpace,
    { idempotencyKey: key, inputHash }: IdempotencyKey,
    result: unknown,
    write: (tx: TenantTransaction) => Promise<void>,
  ): Promise<boolean> {
    const data = { inputHash, result: JSON.stringify(result), createdAt: new Date() };
    try {
      await this.database.of(tenantId).$transaction(async (tx) => {
        await tx.pushKey.deleteMany({ where: { operation, key, createdAt: { lte: oldestKept() } } });
        await tx.pushKey.create({ data: { tenantId, operation, key, ...data } });
        await write(tx);
      });
      return true;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  async removeOld(): Promise<void> {
    const { pushKey } = this.database.acrossTenants('old keys of every tenant are removed');
    await pushKey.deleteMany({ where: { createdAt: { lte: oldestKept() } } });
  }
}
