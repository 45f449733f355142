import { Injectable } from '@nestjs/common';
import { isUniqueViolation } from '../../common/database/database-faults.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { AppError } from '../../common/errors/app-error.js';
import { contentHash } from '../../common/json/canonical-json.js';

const LIFETIME_MS = 24 * 3_600_000;

export interface PushKey {
  tenantId: string;
  operation: 'pushMessage' | 'pushGlobalMessage';
  key: string;
  /** What a repeat must have in common with the first. */
  content: unknown;
}

type Transaction = Pick<PrismaService, '$executeRawUnsafe'>;

/** Idempotency keys of pushes: the first use stores its result with what it makes, a repeat gets that result. */
@Injectable()
export class PushKeysService {
  constructor(private readonly prisma: PrismaService) {}

  /** What the first use answered, or nothing when there was none within 24 h. @throws CONFLICT when it had other content */
  async resultOf<T>({ tenantId, operation, key, content }: PushKey): Promise<T | undefined> {
    const row = await this.prisma.pushKey.findUnique({
      where: { tenantId_operation_key: { tenantId, operation, key }, createdAt: { gt: oldest() } },
    });
    if (!row) return undefined;
    if (row.inputHash !== contentHash(content)) {
      throw new AppError('CONFLICT', 'input.idempotencyKey: was used before, with other content; a new push needs a new key', {
        field: 'input.idempotencyKey',
      });
    }
    return JSON.parse(row.result) as T;
  }

  /** Stores the result with what `write` stores, or neither. Answers with false when another use came first. */
  async first({ tenantId, operation, key, content }: PushKey, result: unknown, write: (tx: Transaction) => Promise<void>) {
    const data = { inputHash: contentHash(content), result: JSON.stringify(result), createdAt: new Date() };
    try {
      await this.prisma.$transaction(async (tx) => {
        await tx.pushKey.deleteMany({ where: { tenantId, operation, key, createdAt: { lte: oldest() } } });
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
    await this.prisma.pushKey.deleteMany({ where: { createdAt: { lte: oldest() } } });
  }
}

const oldest = (): Date => new Date(Date.now() - LIFETIME_MS);
