import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { AppError } from '../../../common/errors/app-error.js';
import { isUniqueViolation } from '../../../common/errors/database-faults.js';
import { contentHash } from '../../../common/json/canonical-json.js';
import { KEEP_KEYS_MS } from '../models/limits.js';

export interface PushKey {
  tenantId: string;
  operation: 'pushMessage' | 'pushGlobalMessage';
  key: string;
  /** Content that a repeat must have in common with the first push. */
  content: unknown;
}

/** Idempotency keys of pushes: the first push stores its result with its messages, and a repeat returns that result. */
@Injectable()
export class PushKeysService {
  constructor(private readonly database: Database) {}

  /** Returns the result of the first use within 24 h, if there was one. @throws CONFLICT if it had other content */
  async resultOf<T>({ tenantId, operation, key, content }: PushKey): Promise<T | undefined> {
    const row = await this.database.of(tenantId).pushKey.findUnique({
      where: { tenantId_operation_key: { tenantId, operation, key }, createdAt: { gt: oldestKept() } },
    });
    if (!row) return undefined;
    if (row.inputHash !== contentHash(content)) {
      throw new AppError('CONFLICT', 'input.idempotencyKey: was used before, with other content; a new push needs a new key', {
        field: 'input.idempotencyKey',
      });
    }
    return JSON.parse(row.result) as T;
  }

  /** Stores the result together with what `write` stores. Returns false, and stores neither, if another use came first. */
  async first({ tenantId, operation, key, content }: PushKey, result: unknown, write: (tx: TenantTransaction) => Promise<void>) {
    const data = { inputHash: contentHash(content), result: JSON.stringify(result), createdAt: new Date() };
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

const oldestKept = (): Date => new Date(Date.now() - KEEP_KEYS_MS);
