import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import type { SharedModels } from '../../../common/database/tenant-models.js';
import { AppError, quoted } from '../../../common/base/app-error.js';
import { isId } from '../../../common/base/ids.js';
import type { BlobPinModel } from '../../../generated/sqlite/models.js';
import { BlobDeletion } from './blob-deletion.service.js';
import { BlobStore } from '../blob-store/blob-store.js';
import { abandonedOf, lockFilesShared } from './blob-pins.queries.js';
import { fileIdOfKey, type FileRow, isDone, isExpired } from './file-row.js';

/** File to pin, with the input field for error messages. */
export interface WantedFile {
  fileId: string;
  field: string;
}

/** Current content of a file. The blob under the key is immutable. */
export interface PinnableContent {
  blobKey: string;
  sizeBytes: number;
  contentType: string;
}

/** Content with its file name. */
export interface NamedContent extends PinnableContent {
  name: string | null;
}

/** Pins file content for other services, so that it outlives a change or deletion of the file. */
@Injectable()
export class AttachableContentService {
  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly blobDeletion: BlobDeletion,
  ) {}

  /**
   * Returns the content of files by id, for `pin` in the same transaction. The rows stay locked, so no content is removed in
   * between.
   * @throws NOT_FOUND for an unknown file; FAILED_PRECONDITION for a file without complete content
   */
  async contentsOf(transaction: TenantTransaction, fileIds: string[]): Promise<(wanted: WantedFile) => NamedContent> {
    const ids = [...new Set(fileIds)].filter(isId);
    await lockFilesShared(this.database.dialect, transaction, ids);
    const rows = await transaction.file.findMany({ where: { id: { in: ids } } });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return (wanted) => contentOf(byId.get(wanted.fileId), wanted);
  }

  async pin(transaction: TenantTransaction, pins: BlobPinModel[]): Promise<void> {
    const distinct = new Map(pins.map(({ blobKey, holderId }) => [`${blobKey} ${holderId}`, { blobKey, holderId }]));
    await transaction.blobPin.createMany({ data: [...distinct.values()] });
  }

  /** Removes all pins of the holders in the caller's transaction. Returns the keys to pass to `removeAbandoned` after the commit. */
  async unpin(transaction: SharedModels, holderIds: string[]): Promise<string[]> {
    const pins = await transaction.blobPin.findMany({ where: { holderId: { in: holderIds } } });
    await transaction.blobPin.deleteMany({ where: { holderId: { in: holderIds } } });
    return [...new Set(pins.map(({ blobKey }) => blobKey))];
  }

  /** Removes the blobs without a file or a pin. After a crash the daily reconciliation removes them. */
  async removeAbandoned(keys: string[]): Promise<void> {
    for (const key of await abandonedOf(this.database, keys)) await this.blobDeletion.remove(key);
  }

  /** Returns the id of the file that a key was generated for. */
  fileIdOf(blobKey: string): string {
    return fileIdOfKey(blobKey);
  }

  /** Returns the content as a stream that opens the blob on the first read. */
  open(blobKey: string): Readable {
    const blobs = this.blobs;
    return Readable.from(
      (async function* content() {
        yield* await blobs.open(blobKey);
      })(),
      { objectMode: false },
    );
  }
}

function contentOf(row: FileRow | undefined, { fileId, field }: WantedFile): NamedContent {
  const name = `File ${quoted(fileId)}`;
  if (!row) throw new AppError('NOT_FOUND', `${field}: ${name} does not exist`, { field });
  if (!isDone(row)) {
    const status = isExpired(row) ? 'expired' : row.status;
    throw new AppError('FAILED_PRECONDITION', `${field}: ${name} has the status ${status}; the status must be done`, { field });
  }
  return { blobKey: row.blobKey, sizeBytes: Number(row.contentLength), contentType: row.contentType, name: row.name };
}
