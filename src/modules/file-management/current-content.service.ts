import { Injectable } from '@nestjs/common';
import { PrismaService } from '../../common/database/prisma.service.js';
import { AppError, notFound } from '../../common/errors/app-error.js';
import { isId } from '../../common/ids/ids.js';
import type { FileUpdateManyMutationInput, FileWhereInput } from '../../generated/sqlite/models.js';
import { BlobRemover } from './blob-remover.service.js';
import { BlobStoreUnavailable } from './blob-store/blob-store.js';
import { type FileRow, isExpired, versionOf } from './file-row.js';
import { checkIsReplaceable, type Conditions } from './http-conditions.js';

type Transaction = Parameters<Parameters<PrismaService['$transaction']>[0]>[0];
type Also = (tx: Transaction) => Promise<unknown>;

/** What a switch depends on, and what happens in its transaction. */
interface SwitchOptions {
  conditions?: Conditions;
  also?: Also;
}

/** Content that is in the store, and not yet anybody's. */
export interface NewContent {
  blobKey: string;
  sizeBytes: number;
  checksumSha256: string | null;
  /** As the header shows it, with quotes. */
  etag: string;
  disposition: string | null;
}

/** Decides which blob is the content of a file. */
@Injectable()
export class CurrentContentService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly blobRemover: BlobRemover,
  ) {}

  /** @throws NOT_FOUND; 410 once the file has expired */
  async forUpload(id: string): Promise<FileRow> {
    const row = isId(id) ? await this.prisma.file.findUnique({ where: { id } }) : null;
    if (!row) throw notFound(`File ${id}`);
    if (isExpired(row)) throw expired();
    return row;
  }

  /**
   * The one database write that makes new content the content. It names the content that it replaces, so of uploads at
   * the same time each removes exactly the blob that it took the place of. What else belongs to the switch happens with it.
   * @throws FAILED_PRECONDITION when that content is not what the request was about; of two that are about the same, one gets here
   */
  async switchTo(
    row: FileRow,
    { sizeBytes, ...content }: NewContent,
    { conditions = {}, also }: SwitchOptions = {},
  ): Promise<FileRow> {
    try {
      for (let current = row; ; current = await this.forUpload(row.id)) {
        if (current.blobKey === content.blobKey) return current; // another completion of the same upload was first
        if (current.contentType !== row.contentType) throw wrongType(current.contentType);
        checkIsReplaceable(conditions, versionOf(current));
        const now = new Date();
        const data = { ...content, contentLength: BigInt(sizeBytes), storedAt: now, updatedAt: now, ...DONE };
        const unexpired = { OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] };
        const where = { id: row.id, blobKey: current.blobKey, contentType: row.contentType, ...unexpired };
        if (!(await this.write(where, data, also))) continue;
        await this.blobRemover.remove(current.blobKey);
        return { ...current, ...data };
      }
    } catch (error) {
      // After any other failure the database may have taken the write, and the row may name this blob.
      if (error instanceof AppError) await this.blobRemover.remove(content.blobKey);
      throw error;
    }
  }

  private async write(where: FileWhereInput, data: FileUpdateManyMutationInput, also: Also | undefined): Promise<boolean> {
    if (!also) return (await this.prisma.file.updateMany({ where, data })).count > 0;
    return this.prisma.$transaction(async (tx) => {
      const { count } = await tx.file.updateMany({ where, data });
      if (count > 0) await also(tx);
      return count > 0;
    });
  }

  /** @throws BAD_USER_INPUT when another checksum was expected; the blob goes, and the file's status tells */
  async checkSha256(row: FileRow, blobKey: string, sha256: string): Promise<void> {
    if (!row.expectedSha256 || row.expectedSha256 === sha256) return;
    await this.blobRemover.remove(blobKey);
    const message = `The content has the SHA-256 checksum ${sha256}, ${row.expectedSha256} was expected`;
    await this.fail(row.id, new AppError('BAD_USER_INPUT', message));
  }

  /** Notes an upload that failed after its bytes flowed; earlier content stays. */
  async fail(id: string, refusal: AppError): Promise<never> {
    await this.prisma.file.updateMany({
      where: { id, status: { not: 'expired' } },
      data: { status: 'error', errorCode: refusal.code, errorMessage: refusal.message, updatedAt: new Date() },
    });
    throw refusal;
  }
}

const DONE = { status: 'done', errorCode: null, errorMessage: null } as const;

export const expired = (): AppError => new AppError('NOT_FOUND', 'The file has expired', { status: 410 });

export const wrongType = (contentType: string): AppError =>
  new AppError(
    'BAD_USER_INPUT',
    `The Content-Type must be ${contentType}, the type of the file; a file of another type needs a new file`,
    {
      status: 415,
    },
  );

/** What the caller is told when a store or a connection failed. */
export function asRefusal(error: unknown): unknown {
  if (error instanceof BlobStoreUnavailable) {
    const message = error.options.full
      ? 'The disk of the store is full; nothing was changed'
      : 'The store cannot be reached; nothing was changed';
    return new AppError('SERVICE_UNAVAILABLE', message, { cause: error });
  }
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE') {
    return new AppError('BAD_REQUEST', 'The connection broke before all bytes had arrived; nothing was changed', {
      cause: error,
    });
  }
  return error;
}
