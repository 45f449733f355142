import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { AppError } from '../../../common/base/app-error.js';
import { isUniqueViolation } from '../../../common/base/database-faults.js';
import { EventOutbox } from '../../../common/events/outbox/event-outbox.js';
import { digestOf } from '../../../common/scheduling/event-loop.js';
import { asBytes } from '../../../common/base/amounts.js';
import { BlobMissing, BlobStore } from '../blob-store/blob-store.js';
import {
  AttachableContentService,
  type NamedContent,
  type PinnableContent,
  type WantedFile,
} from '../file-storage/attachable-content.service.js';
import { BlobDeletion } from '../file-storage/blob-deletion.service.js';
import { asRefusal } from '../file-storage/current-content.service.js';
import { fileChange, shownFile } from '../file-storage/file-events.js';
import { FileQuotasService } from '../usage/file-quotas.service.js';
import type { CreateFileInput } from './file.inputs.js';
import { freshBlobKey, type NewFile } from '../file-storage/file-row.js';
import { newFile } from './new-file.js';

/** Content of a file at the time of reading. */
export interface ReadContent {
  name: string | null;
  contentType: string;
  bytes: Buffer;
}

/** Reads and creates whole files for other services. */
@Injectable()
export class StoredFilesService {
  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly attachable: AttachableContentService,
    private readonly blobDeletion: BlobDeletion,
    private readonly quotas: FileQuotasService,
    private readonly outbox: EventOutbox,
  ) {}

  /** Checks the fields of a new file. @throws BAD_USER_INPUT with the path of the wrong value, below `field` */
  prepare(caller: Caller, input: CreateFileInput, field: string): NewFile {
    return newFile(caller, input, field);
  }

  /**
   * Stores a prepared file with its content. Runs `also` in the same transaction.
   * @throws PAYLOAD_TOO_LARGE over a limit of the tenant
   */
  store(file: NewFile, content: Buffer[], also?: (own: TenantTransaction) => Promise<void>): Promise<void> {
    const { files, storedBytes } = this.quotas;
    const store = () => storedBytes.within(file.tenantId, lengthOf(content), () => this.put(file, content, also));
    return files.within(file.tenantId, 1, store);
  }

  /** Removes a file with its content, unless it has changed or is gone. */
  async remove({ tenantId }: Caller, id: string): Promise<void> {
    const row = await this.database.of(tenantId).file.findFirst({ where: { id } });
    if (!row) return;
    const { count } = await this.outbox.change(
      fileChange(tenantId, 'FILE_DELETED'),
      (own) => own.file.deleteMany({ where: { id, blobKey: row.blobKey } }),
      (deleted) => (deleted.count > 0 ? shownFile(row) : undefined),
    );
    if (count > 0) await this.blobDeletion.remove(row.blobKey);
  }

  /**
   * Finds files by id without reading their content.
   * @throws NOT_FOUND; FAILED_PRECONDITION for a file that is not done; PAYLOAD_TOO_LARGE if the sum of sizes exceeds `maxBytes`
   */
  async find({ tenantId }: Caller, wanted: WantedFile[], maxBytes: number): Promise<Map<string, NamedContent>> {
    const ids = wanted.map(({ fileId }) => fileId);
    const contents = await this.database.of(tenantId).$transaction(async (own) => {
      const contentOf = await this.attachable.contentsOf(own, ids);
      return wanted.map((one) => [one.fileId, contentOf(one)] as const);
    });
    const sizeBytes = contents.reduce((sum, [, content]) => sum + content.sizeBytes, 0);
    if (sizeBytes > maxBytes) {
      throw new AppError(
        'PAYLOAD_TOO_LARGE',
        `the files have ${sizeBytes} bytes in total; at most ${asBytes(maxBytes)} is allowed`,
      );
    }
    return new Map(contents);
  }

  /** Reads files by id. @throws the errors of `find` */
  async read(caller: Caller, wanted: WantedFile[], maxBytes: number): Promise<Map<string, ReadContent>> {
    const read = new Map<string, ReadContent>();
    for (const [id, content] of await this.find(caller, wanted, maxBytes)) {
      const { name, contentType } = content;
      read.set(id, { name, contentType, bytes: await this.bytesOf(content) });
    }
    return read;
  }

  private async bytesOf({ blobKey }: PinnableContent): Promise<Buffer> {
    try {
      return await buffer(await this.blobs.open(blobKey));
    } catch (error) {
      if (error instanceof BlobMissing) throw new AppError('SERVICE_UNAVAILABLE', 'a file changed while it was read; retry');
      throw asRefusal(error);
    }
  }

  private async put(file: NewFile, content: Buffer[], also?: (own: TenantTransaction) => Promise<void>): Promise<void> {
    const { tenantId } = file;
    const blobKey = freshBlobKey(file);
    const checksumSha256 = await digestOf('sha256', content, tenantId);
    const length = lengthOf(content);
    await this.blobs.put(blobKey, Readable.from(content), length).catch((error: unknown) => {
      throw asRefusal(error);
    });
    const now = new Date();
    const etag = `"${checksumSha256.slice(0, 32)}"`;
    const made = { blobKey, contentLength: BigInt(length), checksumSha256, etag, disposition: null, storedAt: now };
    const data = { ...file, ...made, status: 'done', updatedAt: now } as const;
    const create = async (own: TenantTransaction) => {
      await also?.(own);
      return own.file.create({ data });
    };
    try {
      await this.outbox.change(fileChange(tenantId, 'FILE_DONE'), create, shownFile, { hasSeveral: also !== undefined });
    } catch (error) {
      // Removed only after a refusal. After any other error the row may have been committed.
      if (error instanceof AppError || isUniqueViolation(error)) await this.blobDeletion.remove(blobKey);
      throw error;
    }
  }
}

const lengthOf = (parts: Buffer[]): number => parts.reduce((sum, { length }) => sum + length, 0);
