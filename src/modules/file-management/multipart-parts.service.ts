import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { isForeignKeyViolation } from '../../common/database/database-faults.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { AppError, notFound } from '../../common/errors/app-error.js';
import { Quota } from '../../common/tenants/quota.js';
import type { MultipartUploadModel } from '../../generated/sqlite/models.js';
import type { Part } from './blob-store/blob-store.js';
import { FileQuotasService } from './file-quotas.service.js';
import { replaceParts } from './multipart-parts.queries.js';

/** How long what the store listed is believed before another part may go there past us. */
const LISTED_TTL_MS = 10_000;

type NewPart = Pick<Part, 'partNumber' | 'sizeBytes'>;

/**
 * Counts the parts of uploads that are not completed, against the size of a file and the bytes of the tenant. Parts that
 * pass through us are counted before their first byte; those that go to the store past us, when the store lists them.
 */
@Injectable()
export class MultipartPartsService {
  private readonly perUpload: Quota;

  constructor(
    private readonly prisma: PrismaService,
    private readonly quotas: FileQuotasService,
    private readonly config: Config,
  ) {
    this.perUpload = new Quota({
      count: (uploadId) => this.countedBytes(uploadId),
      refusal: (limit, used, amount) => tooLarge(used + amount, limit),
    });
  }

  /** Takes a part that passes through us. @throws PAYLOAD_TOO_LARGE before any of it is read */
  async take(upload: MultipartUploadModel, part: NewPart, store: () => Promise<string>): Promise<string> {
    const before = await this.prisma.multipartPart.findUnique({ where: keyOf(upload, part) });
    const amount = part.sizeBytes - Number(before?.sizeBytes ?? 0);
    return this.perUpload.within(upload.id, { limit: this.config.maxUploadBytes, amount }, () =>
      this.quotas.storedBytes.within(upload.tenantId, amount, async () => {
        await this.count(upload, part);
        try {
          return await store();
        } catch (error) {
          // What was there before is still there. Should this fail, the part counts until the upload ends.
          await this.forget(upload, part, before?.sizeBytes).catch(() => undefined);
          throw error;
        }
      }),
    );
  }

  /** To be asked before a part may go to the store past us. @throws PAYLOAD_TOO_LARGE when there is no room for a byte more */
  async checkRoom(upload: MultipartUploadModel, list: () => Promise<Part[] | undefined>): Promise<void> {
    if (Date.now() - (upload.partsListedAt?.getTime() ?? 0) > LISTED_TTL_MS) await this.noteListed(upload, (await list()) ?? []);
    const { maxUploadBytes } = this.config;
    const countedBytes = await this.countedBytes(upload.id);
    if (countedBytes >= maxUploadBytes) throw tooLarge(countedBytes + 1, maxUploadBytes);
    await this.quotas.storedBytes.within(upload.tenantId, 1, () => Promise.resolve());
  }

  /** Counts what came to the store past us, and is about to become content. @throws PAYLOAD_TOO_LARGE */
  async admitListed(upload: MultipartUploadModel, listed: Part[]): Promise<void> {
    const listedBytes = listed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const amount = listedBytes - (await this.countedBytes(upload.id));
    await this.quotas.storedBytes.within(upload.tenantId, amount, () => this.noteListed(upload, listed));
  }

  /** Makes what is counted what the store has. */
  async noteListed(upload: MultipartUploadModel, listed: Part[]): Promise<void> {
    await replaceParts(this.prisma, this.config.isPostgres, upload, listed);
    await this.prisma.multipartUpload.updateMany({ where: { id: upload.id }, data: { partsListedAt: new Date() } });
  }

  private async countedBytes(uploadId: string): Promise<number> {
    const { _sum: sum } = await this.prisma.multipartPart.aggregate({ where: { uploadId }, _sum: { sizeBytes: true } });
    return Number(sum.sizeBytes ?? 0);
  }

  private async count(upload: MultipartUploadModel, part: NewPart): Promise<void> {
    const sizeBytes = BigInt(part.sizeBytes);
    const create = { uploadId: upload.id, partNumber: part.partNumber, tenantId: upload.tenantId, sizeBytes };
    try {
      await this.prisma.multipartPart.upsert({ where: keyOf(upload, part), create, update: { sizeBytes } });
    } catch (error) {
      if (isForeignKeyViolation(error)) throw notFound(`Multipart upload ${upload.id}`);
      throw error;
    }
  }

  private async forget(upload: MultipartUploadModel, part: NewPart, before: bigint | undefined): Promise<void> {
    const where = { uploadId: upload.id, partNumber: part.partNumber };
    if (before === undefined) await this.prisma.multipartPart.deleteMany({ where });
    else await this.prisma.multipartPart.updateMany({ where, data: { sizeBytes: before } });
  }
}

function keyOf({ id: uploadId }: MultipartUploadModel, { partNumber }: NewPart) {
  return { uploadId_partNumber: { uploadId, partNumber } };
}

export const tooLarge = (totalBytes: number, maxBytes: number): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', `The parts have ${totalBytes} bytes; a file may have at most ${maxBytes}`);
