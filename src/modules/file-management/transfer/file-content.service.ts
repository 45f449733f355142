import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { Database } from '../../../common/database/database.js';
import { AppError, notFound } from '../../../common/base/app-error.js';
import { isId } from '../../../common/base/ids.js';
import { SuspendedTenants } from '../../../common/tenants/suspended-tenants.js';
import { BlobMissing, BlobStore, type ByteRange } from '../blob-store/blob-store.js';
import { type AnnouncedBytes, announcedSize } from '../content-rules/announced-bytes.js';
import { asRefusal, CurrentContentService, expired } from '../file-storage/current-content.service.js';
import { FileQuotasService } from '../usage/file-quotas.service.js';
import { Transfers } from '../content-rules/transfers.service.js';
import { cacheControl } from '../content-rules/cache-control.js';
import { type FileRow, freshBlobKey, isExpired, type StoredFile, versionOf } from '../file-storage/file-row.js';
import { FileUrls, type UrlSignature } from '../file-storage/file-urls.js';
import { checkIsReplaceable, type Conditions } from '../content-rules/conditions.js';
import { uploadedType } from '../content-rules/accepted-types.js';
import { checksumProblem, firstBytesOf, largestOf } from '../content-rules/content-rules.js';
import type { FirstBytes } from '../content-rules/first-bytes.js';
import { safePresentation } from '../content-rules/safe-presentation.js';

const MAX_DISPOSITION = 4_096;
const MAX_REDIRECT_SECONDS = 60;

/** Request headers of an upload. */
interface UploadHeaders extends AnnouncedBytes {
  contentType: string | undefined;
  contentDisposition: string | undefined;
  conditions: Conditions;
}

interface Upload {
  id: string;
  url: UrlSignature;
  headers: UploadHeaders;
  content: Readable;
  /** Callback before the first read. Until then the upload can be refused without reading it. */
  ask: () => void;
}

interface Incoming extends Pick<Upload, 'content' | 'ask'> {
  sizeBytes: number;
  contentType: string;
  disposition: string | null;
  conditions: Conditions;
}

/**
 * Stores and opens content. An upload goes to a new key, and one update then switches the row to it, so a failed upload leaves
 * earlier content unchanged. Preconditions are checked before the body is read, and again by that update, so exactly one of several
 * conditional uploads succeeds.
 */
@Injectable()
export class FileContentService {
  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly current: CurrentContentService,
    private readonly urls: FileUrls,
    private readonly suspended: SuspendedTenants,
    private readonly quotas: FileQuotasService,
    private readonly config: Config,
    private readonly transfers: Transfers,
  ) {}

  /**
   * Stores new content and returns its ETag.
   * @throws PAYLOAD_TOO_LARGE before the first byte is read; BAD_USER_INPUT as 415, before it or once the first bytes do not match;
   * FAILED_PRECONDITION before it, or after the last byte if the content changed meanwhile
   */
  async upload({ id, url, headers, ...bytes }: Upload): Promise<string> {
    this.urls.check(['PUT', id], url);
    const row = await this.current.forUpload(id);
    const sizeBytes = announcedSize(
      headers,
      row.maxBytes === null ? 'A file' : 'This file',
      largestOf(row, this.config.maxUploadBytes),
    );
    const contentType = uploadedType(row, headers.contentType);
    const disposition = checkDisposition(headers.contentDisposition);
    const addedBytes = sizeBytes - Number(row.contentLength ?? 0);
    const { conditions } = headers;
    return this.quotas.storedBytes.within(row.tenantId, addedBytes, () =>
      this.receive(row, { ...bytes, sizeBytes, contentType, disposition, conditions }),
    );
  }

  private async receive(row: FileRow, incoming: Incoming): Promise<string> {
    const { sizeBytes, contentType, disposition, conditions, content, ask } = incoming;
    checkIsReplaceable(conditions, versionOf(row)); // last, so that a refused caller learns nothing about the version
    const blobKey = freshBlobKey(row);
    const first = firstBytesOf(row, contentType);
    const sha256 = await this.store(blobKey, { content, ask, first, tenantId: row.tenantId }, sizeBytes).catch(
      (error: unknown) => {
        const isOfOtherType = first && error instanceof AppError && error === first.problem;
        return isOfOtherType ? this.current.fail(row, error) : Promise.reject(error as Error);
      },
    );
    const wrongChecksum = checksumProblem(row, sha256);
    if (wrongChecksum) await this.current.refuse(row, blobKey, wrongChecksum);
    const etag = `"${sha256.slice(0, 32)}"`;
    await this.current.switchTo(
      row,
      { blobKey, sizeBytes, contentType, checksumSha256: sha256, etag, disposition },
      { conditions },
    );
    return etag;
  }

  /**
   * Returns the file of a URL.
   * @throws FORBIDDEN for a suspended tenant, or without a valid signature unless the file is public; NOT_FOUND, with status 410 if
   * the file has expired
   */
  async find(id: string, url: UrlSignature): Promise<StoredFile> {
    const { file } = this.database.acrossTenants('the signature of the URL decides, or that the file is public');
    const row = isId(id) ? await file.findUnique({ where: { id } }) : null;
    const unsigned = url.signature === undefined && url.expires === undefined;
    if (!row && unsigned) throw notFound(`File ${id}`);
    if (!row?.public) this.urls.check(['GET', id], url);
    if (!row) throw notFound(`File ${id}`);
    this.suspended.check(row.tenantId);
    if (isExpired(row)) throw expired();
    if (row.blobKey === null) throw new AppError('NOT_FOUND', 'The file has no content yet; upload it first');
    return row as StoredFile;
  }

  /**
   * Opens the content. Returns undefined if it was replaced or removed since the row was read; the caller then reads the row again.
   * @throws SERVICE_UNAVAILABLE if tenant or node has no free download slot
   */
  open(row: StoredFile, range?: ByteRange): Promise<Readable | undefined> {
    return this.transfers.send(row.tenantId, () => this.openBlob(row, range));
  }

  private async openBlob(row: StoredFile, range: ByteRange | undefined): Promise<Readable | undefined> {
    try {
      return await this.blobs.open(row.blobKey, range);
    } catch (error) {
      if (!(error instanceof BlobMissing)) throw asRefusal(error);
      const latest = await this.database.of(row.tenantId).file.findUnique({ where: { id: row.id } });
      if (latest?.blobKey === row.blobKey) throw error;
      return undefined;
    }
  }

  /**
   * Returns a presigned URL with this API's response headers, valid for at most a minute and not past the expiry. Returns undefined
   * if the store cannot provide one.
   */
  presigned(row: StoredFile, method: 'GET' | 'HEAD'): Promise<string | undefined> {
    const leftSeconds = row.expiresAt ? Math.floor((row.expiresAt.getTime() - Date.now()) / 1000) : Infinity;
    if (leftSeconds < 1) return Promise.resolve(undefined);
    const expiresInSeconds = Math.min(MAX_REDIRECT_SECONDS, leftSeconds);
    const { contentType, disposition } = safePresentation(row);
    // Stores differ in their handling of other characters in a URL. Served from here, the header is sent unchanged.
    if (disposition !== null && !/^[\t\x20-\x7e]*$/.test(disposition)) return Promise.resolve(undefined);
    return this.blobs.presignedDownloadUrl(row.blobKey, {
      method,
      expiresInSeconds,
      contentType,
      disposition,
      cacheControl: cacheControl(row),
    });
  }

  private async store(
    key: string,
    { tenantId, content, ...options }: Pick<Upload, 'content' | 'ask'> & { tenantId: string; first: FirstBytes | undefined },
    sizeBytes: number,
  ): Promise<string> {
    const meter = this.transfers.receive(tenantId, content, options);
    try {
      await this.blobs.put(key, meter, sizeBytes);
      return meter.sha256();
    } catch (error) {
      throw asRefusal(error);
    } finally {
      meter.destroy(); // drains an upload that the store refused without reading it
    }
  }
}

function checkDisposition(sent: string | undefined): string | null {
  if (sent === undefined) return null;
  if (sent.length > MAX_DISPOSITION) {
    throw new AppError('BAD_USER_INPUT', `The header Content-Disposition must have at most ${MAX_DISPOSITION} characters`);
  }
  return sent;
}
