import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { Database } from '../../../common/database/database.js';
import { AppError, notFound } from '../../../common/errors/app-error.js';
import { isForeignKeyViolation } from '../../../common/errors/database-faults.js';
import { Quota } from '../../../common/tenants/quota.js';
import type { MultipartUploadModel } from '../../../generated/sqlite/models.js';
import type { Part } from '../blob-store/blob-store.js';
import { FileQuotasService } from '../content/file-quotas.service.js';
import { replaceParts } from './multipart-parts.queries.js';

/** How old the last listing may be when another URL for a direct upload to the store is made. */
const LISTED_TTL_MS = 10_000;

type NewPart = Pick<Part, 'partNumber' | 'sizeBytes'>;

/**
 * Counts the parts of open uploads against the largest file and the bytes of the tenant. Parts that pass through this service
 * count before their first byte; parts sent directly to the store count once the store lists them.
 */
@Injectable()
export class MultipartPartsService {
  private readonly perUpload: Quota;

  constructor(
    private readonly database: Database,
    private readonly quotas: FileQuotasService,
    private readonly config: Config,
  ) {
    this.perUpload = new Quota({
      count: (uploadId) => this.countedBytes(uploadId),
      refusal: (limit, used, amount) => tooLarge(used + amount, limit),
    });
  }

  /** Counts a part that passes through this service, and stores it. @throws PAYLOAD_TOO_LARGE before any of it is read */
  async take(upload: MultipartUploadModel, part: NewPart, store: () => Promise<string>): Promise<string> {
    const before = await this.database.of(upload.tenantId).multipartPart.findUnique({ where: keyOf(upload, part) });
    const amount = part.sizeBytes - Number(before?.sizeBytes ?? 0);
    return this.perUpload.within(upload.id, { limit: this.config.maxUploadBytes, amount }, () =>
      this.quotas.storedBytes.within(upload.tenantId, amount, async () => {
        await this.count(upload, part);
        try {
          return await store();
        } catch (error) {
          // The store still has the earlier part, if any. Should this fail, the new part counts until the upload ends.
          await this.uncount(upload, part, before?.sizeBytes).catch(() => undefined);
          throw error;
        }
      }),
    );
  }

  /** To be called before a part may be sent directly to the store. @throws PAYLOAD_TOO_LARGE without room for one more byte */
  async checkRoom(upload: MultipartUploadModel, list: () => Promise<Part[] | undefined>): Promise<void> {
    if (Date.now() - (upload.partsListedAt?.getTime() ?? 0) > LISTED_TTL_MS) await this.noteListed(upload, (await list()) ?? []);
    const { maxUploadBytes } = this.config;
    const countedBytes = await this.countedBytes(upload.id);
    if (countedBytes >= maxUploadBytes) throw tooLarge(countedBytes + 1, maxUploadBytes);
    await this.quotas.storedBytes.within(upload.tenantId, 1, () => Promise.resolve());
  }

  /** Counts parts sent directly to the store, just before they become content. @throws PAYLOAD_TOO_LARGE */
  async admitListed(upload: MultipartUploadModel, listed: Part[]): Promise<void> {
    const listedBytes = listed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const amount = listedBytes - (await this.countedBytes(upload.id));
    await this.quotas.storedBytes.within(upload.tenantId, amount, () => this.noteListed(upload, listed));
  }

  /** Replaces the counted parts by those that the store lists. */
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
      // An upload has one tenant, so the key needs none: with a further condition the client would not write in one statement.
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
  new AppError('PAYLOAD_TOO_LARGE', `The parts have ${totalBytes} bytes; a file may have at most ${maxBytes}`);
