import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { AppError, notFound } from '../../common/errors/app-error.js';
import { isId, uuidv7 } from '../../common/ids/ids.js';
import { Metrics } from '../../common/metrics/metrics.js';
import { BlobRemover } from './blob-remover.js';
import { BlobMissing, BlobStore, BlobStoreUnavailable } from './blob-store/blob-store.js';
import { ContentMeter } from './content-meter.js';
import { type FileRow, isExpired } from './file-row.js';
import { FileUrls, type UrlSignature } from './file-urls.js';

const MAX_DISPOSITION = 4_096;

/** What a PUT announces before its first byte. */
interface UploadHeaders {
  contentLength: string | undefined;
  contentType: string | undefined;
  contentDisposition: string | undefined;
}

interface Upload {
  id: string;
  url: UrlSignature;
  headers: UploadHeaders;
  content: Readable;
}

/** A file that has content. */
export type StoredFile = FileRow & { blobKey: string };

export interface Download {
  row: StoredFile;
  content: Readable;
}

/**
 * Moves bytes in and out. Content is stored under a fresh key first and the row switched to it in one write after, so
 * an upload that is refused or breaks leaves what was there as it was.
 */
@Injectable()
export class FileContentService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly blobs: BlobStore,
    private readonly blobRemover: BlobRemover,
    private readonly urls: FileUrls,
    private readonly config: Config,
    private readonly metrics: Metrics,
  ) {}

  /** Answers with the ETag of the content. */
  async upload({ id, url, headers, content }: Upload): Promise<string> {
    this.urls.check('PUT', id, url);
    const row = await this.rowForUpload(id);
    const sizeBytes = this.announcedSize(headers.contentLength);
    checkType(headers.contentType, row.contentType);
    const disposition = checkDisposition(headers.contentDisposition);
    const blobKey = `${row.tenantId}/${row.id.slice(-2)}/${row.id}-${uuidv7()}`;
    const sha256 = await this.store(blobKey, content, sizeBytes);
    if (row.expectedSha256 && row.expectedSha256 !== sha256) {
      await this.blobRemover.remove(blobKey);
      return this.refuseChecksum(row, sha256);
    }
    const etag = `"${sha256.slice(0, 32)}"`;
    const stored = { blobKey, contentLength: BigInt(sizeBytes), checksumSha256: sha256, etag, disposition };
    await this.switchTo(row, stored);
    return etag;
  }

  /** @throws FORBIDDEN without a valid signature, but for a public file; NOT_FOUND; 410 once the file has expired */
  async head(id: string, url: UrlSignature): Promise<StoredFile> {
    return this.rowForDownload(id, url);
  }

  /** As head, and opens the content. An upload may replace it between the look at the row and the one at the store. */
  async download(id: string, url: UrlSignature): Promise<Download> {
    let row = await this.rowForDownload(id, url);
    for (;;) {
      try {
        return { row, content: await this.blobs.open(row.blobKey) };
      } catch (error) {
        const current = error instanceof BlobMissing ? await this.rowForDownload(id, url) : row;
        if (current.blobKey === row.blobKey) throw asAnswer(error);
        row = current;
      }
    }
  }

  private async rowForUpload(id: string): Promise<FileRow> {
    const row = isId(id) ? await this.prisma.file.findUnique({ where: { id } }) : null;
    if (!row) throw notFound(`File ${id}`);
    if (isExpired(row)) throw expired();
    return row;
  }

  private announcedSize(contentLength: string | undefined): number {
    if (contentLength === undefined) {
      throw new AppError('BAD_REQUEST', 'The header Content-Length is required', { status: 411 });
    }
    const sizeBytes = Number(contentLength);
    if (sizeBytes > this.config.maxUploadBytes) {
      throw new AppError('PAYLOAD_TOO_LARGE', `A file may have at most ${this.config.maxUploadBytes} bytes`);
    }
    return sizeBytes;
  }

  private async store(key: string, content: Readable, sizeBytes: number): Promise<string> {
    const meter = new ContentMeter((count) => this.metrics.contentBytes.inc({ direction: 'in' }, count));
    try {
      meter.feedFrom(content);
      await this.blobs.put(key, meter, sizeBytes);
      return meter.sha256;
    } catch (error) {
      throw asAnswer(error);
    }
  }

  private async refuseChecksum(row: FileRow, sha256: string): Promise<never> {
    const message = `The content has the SHA-256 checksum ${sha256}, ${row.expectedSha256} was expected`;
    await this.prisma.file.updateMany({
      where: { id: row.id },
      data: { status: 'error', errorCode: 'BAD_USER_INPUT', errorMessage: message, updatedAt: new Date() },
    });
    throw new AppError('BAD_USER_INPUT', message);
  }

  /**
   * The one database write that makes new content the content. It names the content that it replaces, so of uploads at
   * the same time each removes exactly the blob that it took the place of.
   */
  private async switchTo(row: FileRow, stored: Partial<FileRow> & { blobKey: string }): Promise<void> {
    const now = new Date();
    const data = { ...stored, status: 'done', errorCode: null, errorMessage: null, storedAt: now, updatedAt: now } as const;
    try {
      for (let current = row; ; current = await this.rowForUpload(row.id)) {
        if (current.contentType !== row.contentType) throw wrongType(current.contentType);
        const where = { id: row.id, blobKey: current.blobKey, contentType: row.contentType };
        const { count } = await this.prisma.file.updateMany({ where, data });
        if (count > 0) return await this.blobRemover.remove(current.blobKey);
      }
    } catch (error) {
      // After any other failure the database may have taken the write, and the row may name this blob.
      if (error instanceof AppError) await this.blobRemover.remove(stored.blobKey);
      throw error;
    }
  }

  private async rowForDownload(id: string, url: UrlSignature): Promise<StoredFile> {
    const row = isId(id) ? await this.prisma.file.findUnique({ where: { id } }) : null;
    const unsigned = url.signature === undefined && url.expires === undefined;
    if (!row && unsigned) throw notFound(`File ${id}`);
    if (!row?.public) this.urls.check('GET', id, url);
    if (!row) throw notFound(`File ${id}`);
    if (isExpired(row)) throw expired();
    if (row.blobKey === null) throw new AppError('NOT_FOUND', 'The file has no content yet');
    return row as StoredFile;
  }
}

const expired = () => new AppError('NOT_FOUND', 'The file has expired', { status: 410 });

const wrongType = (contentType: string) =>
  new AppError(
    'BAD_USER_INPUT',
    `The Content-Type must be ${contentType}, the type of the file; a file of another type needs a new file`,
    {
      status: 415,
    },
  );

/** Parameters such as charset do not count. */
function checkType(sent: string | undefined, contentType: string): void {
  const essence = (type: string) => type.split(';', 1)[0]!.trim().toLowerCase();
  if (sent !== undefined && essence(sent) !== essence(contentType)) throw wrongType(contentType);
}

function checkDisposition(sent: string | undefined): string | null {
  if (sent === undefined) return null;
  if (sent.length > MAX_DISPOSITION) {
    throw new AppError('BAD_USER_INPUT', `The header Content-Disposition must have at most ${MAX_DISPOSITION} characters`);
  }
  return sent;
}

function asAnswer(error: unknown): unknown {
  if (error instanceof BlobStoreUnavailable) {
    const message = error.options.full
      ? 'The store is full; nothing was changed'
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
