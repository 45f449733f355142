// Room: Multipart uploads.
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Config } from '../../../common/config/config.js';
import type { MultipartUploadModel } from '../../../generated/sqlite/models.js';
import { Database } from '../../../common/database/database.js';
import { AppError, badInput, notFound, quoted } from '../../../common/base/app-error.js';
import { isId, uuidv7 } from '../../../common/base/ids.js';
import { checkText, MAX_NAME } from '../../../common/base/text.js';
import { BlobStore, BlobStoreUnavailable, type Part, PartMismatch, UploadMissing } from '../blob-store/blob-store.js';
import { type AnnouncedBytes, announcedSize } from '../content-rules/announced-bytes.js';
import { asRefusal, CurrentContentService } from '../file-storage/current-content.service.js';
import { type FileRow, freshBlobKey, isExpired, toFile } from '../file-storage/file-row.js';
import { ownRow } from '../file-storage/files.queries.js';
import { uploadedType } from '../content-rules/accepted-types.js';
import { largestOf } from '../content-rules/content-rules.js';
import { Transfers } from '../content-rules/transfers.service.js';
import { checkLifetime, FileUrls, type UrlSignature } from '../file-storage/file-urls.js';
import { checkNamedParts, type NamedPart, toUploadedPart } from './named-parts.js';
import { JoinedContentService } from './joined-content.service.js';
import { PartArrivals } from './part-arrivals.js';
import { MultipartPartsService, type NewPart, tooLarge } from './multipart-parts.service.js';
import type { CompleteMultipartUploadInput, GeneratePartUploadUrlInput } from './multipart.inputs.js';
import type { File } from '../models/file.model.js';
import { MAX_PARTS, type MultipartUpload } from './multipart.model.js';
import { DEFAULT_PART_URL_SECONDS, MAX_PART_BYTES, MIN_PART_BYTES } from '../models/limits.js';

const JOIN_TIMEOUT_MS = 5_000;
const JOIN_PAUSE_MS = 50;

interface UploadName {
  fileId: string;
  uploadId: string;
}

export interface PartUpload extends UploadName {
  partNumber: string;
  url: UrlSignature;
  headers: AnnouncedBytes;
  content: Readable;
  /** Callback before the first read. Until then the part can be refused without reading it. */
  ask: () => void;
}

/** Handles multipart uploads by the rules of S3. Completion makes all parts the content of the file atomically. */
@Injectable()
export class MultipartService {
  private readonly arrivals = new PartArrivals();

  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly current: CurrentContentService,
    private readonly parts: MultipartPartsService,
    private readonly urls: FileUrls,
    private readonly config: Config,
    private readonly transfers: Transfers,
    private readonly joinedContent: JoinedContentService,
  ) {}

  async initiate(caller: Caller, fileId: string | null | undefined): Promise<MultipartUpload> {
    if (typeof fileId !== 'string') throw badInput('input.fileId', 'is required');
    const file = await this.file(caller, fileId);
    const blobKey = freshBlobKey(file);
    const storeUploadId = await this.inStore(this.blobs.beginMultipart(blobKey));
    const upload = { id: uuidv7(), tenantId: caller.tenantId, fileId, blobKey, storeUploadId, createdAt: new Date() };
    await this.database.of(caller.tenantId).multipartUpload.create({ data: upload });
    return { uploadId: upload.id, fileId, createdAt: upload.createdAt, parts: [] };
  }

  /** Returns an open upload, or null if unknown, completed or aborted. */
  async find(caller: Caller, { fileId, uploadId }: UploadName): Promise<MultipartUpload | null> {
    const upload = await this.upload(caller, { fileId, uploadId }, '');
    if (!upload || upload.completedParts !== null) return null;
    const parts = await this.partsOf(upload);
    return parts ? { uploadId, fileId, createdAt: upload.createdAt, parts: parts.map(toUploadedPart) } : null;
  }

  async partUrl(caller: Caller, input: GeneratePartUploadUrlInput): Promise<string> {
    if (input.partNumber < 1 || input.partNumber > MAX_PARTS)
      throw badInput('input.partNumber', `must be from 1 to ${MAX_PARTS}`);
    const seconds = checkLifetime(input.expiresIn, DEFAULT_PART_URL_SECONDS, 'input.expiresIn');
    const upload = await this.openUpload(caller, input);
    const maxBytes = largestOf(await this.file(caller, input.fileId), this.config.maxUploadBytes);
    const direct = await this.inStore(
      this.blobs.presignedPartUrl(upload.blobKey, upload.storeUploadId, input.partNumber, seconds),
    );
    if (direct === undefined) return this.urls.partUrl(input, seconds);
    await this.parts.checkRoom({ upload, maxBytes }, () => this.partsOf(upload));
    return direct;
  }

  /**
   * Stores a part that passes through this server, and returns its ETag in quotes.
   * @throws PAYLOAD_TOO_LARGE before any byte of the part is read
   */
  async putPart({ fileId, uploadId, partNumber, url, headers, ...bytes }: PartUpload): Promise<string> {
    this.urls.check(['PART', fileId, uploadId, partNumber], url);
    const { multipartUpload } = this.database.acrossTenants('the signature of the URL names the upload');
    const upload = isId(uploadId) ? await multipartUpload.findUnique({ where: { id: uploadId } }) : null;
    if (!upload || upload.completedParts !== null) throw notFound(`Multipart upload ${uploadId}`);
    const maxBytes = largestOf(await this.current.forUpload(fileId), this.config.maxUploadBytes);
    const sizeBytes = announcedSize(headers, 'A part', MAX_PART_BYTES);
    const part = { partNumber: Number(partNumber), sizeBytes };
    const counted = () => this.parts.store({ upload, maxBytes }, part, () => this.store(upload, part, bytes));
    return `"${await this.arrivals.arrive(upload.id, counted)}"`;
  }

  private async store(
    { tenantId, blobKey, storeUploadId }: MultipartUploadModel,
    part: NewPart,
    { content, ask }: Pick<PartUpload, 'content' | 'ask'>,
  ): Promise<string> {
    const meter = this.transfers.receive(tenantId, content, { hashed: false, ask });
    return this.inStore(this.blobs.putPart(blobKey, storeUploadId, part, meter)).finally(() => {
      meter.destroy(); // drains a part that the store refused without reading it
    });
  }

  /** Joins the named parts. Idempotent for the same parts. */
  async complete(caller: Caller, input: CompleteMultipartUploadInput): Promise<File> {
    const named = checkNamedParts(input.etags);
    const digest = createHash('sha256').update(JSON.stringify(named)).digest('hex');
    const upload = await this.upload(caller, input, 'input.');
    const file = await this.file(caller, input.fileId);
    if (!upload) throw notFound(`Multipart upload ${quoted(input.uploadId)}`);
    if (upload.completedParts === digest) return toFile(file);
    if (upload.completedParts !== null) {
      throw badInput('input.etags', 'the upload was already completed with other parts');
    }
    const contentType = uploadedType(file, input.contentType ?? undefined, 'input.contentType');
    const joined = await this.arrivals.join(upload.id, async () => {
      const arrived = await this.partsOf(upload);
      if (arrived) await this.checkParts(upload, file, { named, arrived });
      const etag = await this.join(upload, named, arrived !== undefined);
      return etag === undefined ? undefined : this.adopt(upload, file, { etag, digest, contentType });
    });
    return joined ? toFile(joined) : this.completedElsewhere(caller, input, digest);
  }

  /** Waits for another node that is joining the parts. The store then lists no parts, and does not have the blob yet. */
  private async completedElsewhere(caller: Caller, input: CompleteMultipartUploadInput, digest: string): Promise<File> {
    for (const until = performance.now() + JOIN_TIMEOUT_MS; performance.now() < until;) {
      await setTimeout(JOIN_PAUSE_MS);
      const upload = await this.upload(caller, input, 'input.');
      if (!upload) break;
      if (upload.completedParts === digest) return toFile(await this.file(caller, input.fileId));
    }
    throw notFound(`Multipart upload ${input.uploadId}`);
  }

  async abort(caller: Caller, input: UploadName): Promise<File> {
    const file = await this.file(caller, input.fileId);
    await this.remove(await this.openUpload(caller, input));
    return toFile(file);
  }

  /** Removes an upload, and its parts unless it is completed. */
  async remove(upload: MultipartUploadModel): Promise<void> {
    if (upload.completedParts === null) await this.inStore(this.blobs.abortMultipart(upload.blobKey, upload.storeUploadId));
    await this.database.of(upload.tenantId).multipartUpload.deleteMany({ where: { id: upload.id } });
  }

  /** Removes the uploads of deleted files. If the store is unreachable, the expiry job removes them later. */
  async removeAll(tenantId: string, fileIds: string[]): Promise<void> {
    try {
      const uploads = await this.database.of(tenantId).multipartUpload.findMany({ where: { fileId: { in: fileIds } } });
      for (const upload of uploads) await this.remove(upload);
    } catch (error) {
      if (!(error instanceof AppError && error.cause instanceof BlobStoreUnavailable)) throw error;
    }
  }

  /**
   * Checks the named parts against those in the store.
   * @throws BAD_USER_INPUT for a missing, different or too small part, with nothing changed; PAYLOAD_TOO_LARGE, which aborts the
   * upload
   */
  private async checkParts(
    upload: MultipartUploadModel,
    file: FileRow,
    { named, arrived }: { named: NamedPart[]; arrived: Part[] },
  ): Promise<void> {
    const byNumber = new Map(arrived.map((part) => [part.partNumber, part]));
    let totalBytes = 0;
    named.forEach(({ partNumber, etag }, index) => {
      const part = byNumber.get(partNumber);
      const field = `input.etags.${index}`;
      if (!part) throw badInput(`${field}.partNumber`, `part ${partNumber} has not arrived; send it first`);
      if (part.etag !== etag) throw badInput(`${field}.ETag`, `must be "${part.etag}", the ETag of part ${partNumber}`);
      if (part.sizeBytes < MIN_PART_BYTES && index < named.length - 1) {
        throw badInput(
          `${field}.partNumber`,
          `part ${partNumber} has ${part.sizeBytes} bytes; each part except the last needs at least ${MIN_PART_BYTES}`,
        );
      }
      totalBytes += part.sizeBytes;
    });
    try {
      const maxBytes = largestOf(file, this.config.maxUploadBytes);
      if (totalBytes > maxBytes) throw tooLarge(totalBytes, maxBytes);
      if (upload.partsListedAt !== null) await this.parts.admitListed(upload, arrived);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'PAYLOAD_TOO_LARGE') throw error;
      await this.remove(upload);
      await this.current.fail({ id: upload.fileId, tenantId: upload.tenantId }, error);
    }
  }

  /** Counts parts sent directly to the store. */
  async countListed(upload: MultipartUploadModel): Promise<void> {
    const listed = await this.partsOf(upload);
    if (listed) await this.parts.noteListed(upload, listed);
  }

  /** Joins the parts and returns the blob's ETag. Accepts a blob joined by an earlier attempt whose response was lost. */
  private async join(upload: MultipartUploadModel, named: NamedPart[], isOpen: boolean): Promise<string | undefined> {
    try {
      if (isOpen) return await this.blobs.completeMultipart(upload.blobKey, upload.storeUploadId, named);
    } catch (error) {
      if (error instanceof PartMismatch) throw badInput('input.etags', `${error.message}; it may just have been sent again`);
      if (!(error instanceof UploadMissing)) throw asRefusal(error);
    }
    return (await this.inStore(this.blobs.stat(upload.blobKey)))?.etag;
  }

  /** Switches the file to the joined content, exactly once even for concurrent completions. */
  private async adopt(
    upload: MultipartUploadModel,
    file: FileRow,
    { etag, digest, contentType }: { etag: string; digest: string; contentType: string },
  ): Promise<FileRow> {
    const stat = await this.inStore(this.blobs.stat(upload.blobKey));
    if (!stat) throw notFound(`Multipart upload ${upload.id}`);
    const latest = await this.current.forUpload(file.id);
    const { multipartUpload } = this.database.of(upload.tenantId);
    const problem =
      latest.blobKey === upload.blobKey ? undefined : await this.joinedContent.problem(file, upload.blobKey, contentType);
    if (problem) {
      await multipartUpload.deleteMany({ where: { id: upload.id } });
      await this.current.refuse(file, upload.blobKey, problem);
    }
    const { blobKey } = upload;
    const { expectedSha256: checksumSha256 } = file;
    const content = { blobKey, sizeBytes: stat.sizeBytes, contentType, checksumSha256, etag: `"${etag}"`, disposition: null };
    const row = await this.current.switchTo(latest, content, {
      alongside: (transaction) => transaction.multipartPart.deleteMany({ where: { uploadId: upload.id } }),
    });
    await multipartUpload.updateMany({ where: { id: upload.id }, data: { completedParts: digest } });
    return row;
  }

  /** Returns the parts in the store, or undefined if the store does not know the upload. */
  private async partsOf(upload: MultipartUploadModel): Promise<Part[] | undefined> {
    try {
      return await this.blobs.listParts(upload.blobKey, upload.storeUploadId);
    } catch (error) {
      if (error instanceof UploadMissing) return undefined;
      throw asRefusal(error);
    }
  }

  private async file(caller: Caller, id: string): Promise<FileRow> {
    checkText('input.fileId', id, { max: MAX_NAME });
    const row = await ownRow(this.database, caller, id);
    if (!row) throw notFound(`File ${quoted(id)}`);
    if (isExpired(row)) throw new AppError('FAILED_PRECONDITION', 'The file has expired; create a new one');
    return row;
  }

  private async openUpload(caller: Caller, name: UploadName): Promise<MultipartUploadModel> {
    const upload = await this.upload(caller, name, 'input.');
    if (!upload || upload.completedParts !== null) throw notFound(`Multipart upload ${quoted(name.uploadId)}`);
    return upload;
  }

  private async upload(
    { tenantId }: Caller,
    { fileId, uploadId }: UploadName,
    prefix: string,
  ): Promise<MultipartUploadModel | null> {
    checkText(`${prefix}fileId`, fileId, { max: MAX_NAME });
    checkText(`${prefix}uploadId`, uploadId, { max: MAX_NAME });
    if (!isId(uploadId)) return null;
    return this.database.of(tenantId).multipartUpload.findUnique({ where: { id: uploadId, fileId } });
  }

  private async inStore<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof UploadMissing) throw new AppError('NOT_FOUND', error.message, { cause: error });
      throw asRefusal(error);
    }
  }
}
