import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { AppError, notFound } from '../../../common/base/app-error.js';
import { isForeignKeyViolation } from '../../../common/base/database-faults.js';
import { Quota } from '../../../common/tenants/quota.js';
import type { MultipartUploadModel } from '../../../generated/sqlite/models.js';
import type { Part } from '../blob-store/blob-store.js';
import { FileQuotasService } from '../usage/file-quotas.service.js';
import { replaceParts } from './multipart-parts.queries.js';

/** Maximum age of a parts list when issuing a URL for a direct upload. */
const LISTED_TTL_MS = 10_000;

export type NewPart = Pick<Part, 'partNumber' | 'sizeBytes'>;

/** Upload with the maximum total size of its parts. */
interface LimitedUpload {
  upload: MultipartUploadModel;
  maxBytes: number;
}

/**
 * Counts parts of open uploads against the limits of file and tenant. Parts that pass through this server are counted before their
 * first byte, parts sent directly to the store once the store lists them.
 */
@Injectable()
export class MultipartPartsService {
  private readonly perUpload: Quota;

  constructor(
    private readonly database: Database,
    private readonly quotas: FileQuotasService,
  ) {
    this.perUpload = new Quota({
      count: (uploadId) => this.countedBytes(uploadId),
      refusal: (limit, used, amount) => tooLarge(used + amount, limit),
    });
  }

  /** Counts and stores a part that passes through this server. @throws PAYLOAD_TOO_LARGE before any byte of the part is read */
  async store({ upload, maxBytes }: LimitedUpload, part: NewPart, store: () => Promise<string>): Promise<string> {
    const before = await this.database.of(upload.tenantId).multipartPart.findUnique({ where: keyOf(upload, part) });
    const amount = part.sizeBytes - Number(before?.sizeBytes ?? 0);
    return this.perUpload.within(upload.id, { limit: maxBytes, amount }, () =>
      this.quotas.storedBytes.within(upload.tenantId, amount, async () => {
        await this.count(upload, part);
        try {
          return await store();
        } catch (error) {
          // The store may still have an earlier version of the part. If this fails, the new part stays counted until the
          // upload ends.
          await this.uncount(upload, part, before?.sizeBytes).catch(() => undefined);
          throw error;
        }
      }),
    );
  }

  /**
   * Checks the limits before a part is sent directly to the store.
   * @throws PAYLOAD_TOO_LARGE if not even one byte is left
   */
  async checkRoom({ upload, maxBytes }: LimitedUpload, list: () => Promise<Part[] | undefined>): Promise<void> {
    if (Date.now() - (upload.partsListedAt?.getTime() ?? 0) > LISTED_TTL_MS) await this.noteListed(upload, (await list()) ?? []);
    const countedBytes = await this.countedBytes(upload.id);
    if (countedBytes >= maxBytes) throw tooLarge(countedBytes + 1, maxBytes);
    await this.quotas.storedBytes.within(upload.tenantId, 1, () => Promise.resolve());
  }

  /** Counts parts sent directly to the store, just before they become content. @throws PAYLOAD_TOO_LARGE */
  async admitListed(upload: MultipartUploadModel, listed: Part[]): Promise<void> {
    const listedBytes = listed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const amount = listedBytes - (await this.countedBytes(upload.id));
    await this.quotas.storedBytes.within(upload.tenantId, amount, () => this.noteListed(upload, listed));
  }

  /** Replaces the counted parts with those listed by the store. */
  async noteListed(upload: MultipartUploadModel, listed: Part[]): Promise<void> {
    const own = this.database.of(upload.tenantId);
    await replaceParts(own, upload.id, listed);
    await own.multipartUpload.updateMany({ where: { id: upload.id }, data: { partsListedAt: new Date() } });
  }

  private async countedBytes(uploadId: string): Promise<number> {
    const { multipartPart } = this.database.acrossTenants('the upload was read before, by its tenant or by a signed URL');
    const { _sum: sum } = await multipartPart.aggregate({ where: { uploadId }, _sum: { sizeBytes: true } });
    return Number(sum.sizeBytes ?? 0);
  }

  private async count(upload: MultipartUploadModel, part: NewPart): Promise<void> {
    const sizeBytes = BigInt(part.sizeBytes);
    const create = { uploadId: upload.id, partNumber: part.partNumber, tenantId: upload.tenantId, sizeBytes };
    try {
      // The key suffices, since an upload has one tenant. A tenant condition would make Prisma need several statements.
      const { multipartPart } = this.database.acrossTenants('the upload is the tenant’s, and the key begins with it');
      await multipartPart.upsert({ where: keyOf(upload, part), create, update: { sizeBytes } });
    } catch (error) {
      if (isForeignKeyViolation(error)) throw notFound(`Multipart upload ${upload.id}`);
      throw error;
    }
  }

  private async uncount(upload: MultipartUploadModel, part: NewPart, before: bigint | undefined): Promise<void> {
    const { multipartPart } = this.database.of(upload.tenantId);
    const where = { uploadId: upload.id, partNumber: part.partNumber };
    if (before === undefined) await multipartPart.deleteMany({ where });
    else await multipartPart.updateMany({ where, data: { sizeBytes: before } });
  }
}

function keyOf({ id: uploadId }: MultipartUploadModel, { partNumber }: NewPart) {
  return { uploadId_partNumber: { uploadId, partNumber } };
}

export const tooLarge = (totalBytes: number, maxBytes: number): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', `The parts have ${totalBytes} bytes in total; at most ${maxBytes} are allowed`);
