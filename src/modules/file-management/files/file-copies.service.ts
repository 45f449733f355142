import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { AppError, notFound, quoted } from '../../../common/base/app-error.js';
import { EventOutbox } from '../../../common/events/outbox/event-outbox.js';
import { timeOfId, uuidv7 } from '../../../common/base/ids.js';
import { checkInput } from '../../../common/base/text.js';
import { BlobMissing, BlobStore } from '../blob-store/blob-store.js';
import { BlobDeletion } from '../file-storage/blob-deletion.service.js';
import { asRefusal } from '../file-storage/current-content.service.js';
import { fileChange, shownFile } from '../file-storage/file-events.js';
import { FileQuotasService } from '../usage/file-quotas.service.js';
import { copyFileRules } from './file.inputs.js';
import type { File } from '../models/file.model.js';
import { fileKey, freshBlobKey, isDone, isExpired, type StoredFile, toFile } from '../file-storage/file-row.js';
import { ownRow } from '../file-storage/files.queries.js';

/** Copies files. The store copies the content itself. */
@Injectable()
export class FileCopiesService {
  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly blobDeletion: BlobDeletion,
    private readonly quotas: FileQuotasService,
    private readonly outbox: EventOutbox,
  ) {}

  /**
   * Copies a file and its current content. Retries if the content is replaced or removed meanwhile.
   * @throws NOT_FOUND; FAILED_PRECONDITION for a file that is not done; PAYLOAD_TOO_LARGE over a limit of the tenant
   */
  async copy(caller: Caller, id: string, name: string): Promise<File> {
    const wanted = checkInput(copyFileRules, { id, name }, '');
    for (;;) {
      const source = await this.source(caller, wanted.id);
      const copy = copyOf(source, wanted.name);
      const { files, storedBytes } = this.quotas;
      const store = () => storedBytes.within(caller.tenantId, Number(source.contentLength), () => this.store(source, copy));
      if (await files.within(caller.tenantId, 1, store)) return toFile(copy);
    }
  }

  private async source(caller: Caller, id: string): Promise<StoredFile> {
    const row = await ownRow(this.database, caller, id);
    if (!row) throw notFound(`File ${quoted(id)}`);
    if (isDone(row)) return row;
    const status = isExpired(row) ? 'expired' : row.status;
    throw new AppError('FAILED_PRECONDITION', `id: File ${quoted(id)} has the status ${status}; the status must be done`, {
      field: 'id',
    });
  }

  /** Returns false if the content was replaced or removed meanwhile. */
  private async store(source: StoredFile, copy: StoredFile): Promise<boolean> {
    try {
      await this.blobs.copy(source.blobKey, copy.blobKey);
    } catch (error) {
      if (!(error instanceof BlobMissing)) throw asRefusal(error);
      const latest = await this.database.of(source.tenantId).file.findUnique({ where: { id: source.id } });
      if (latest?.blobKey === source.blobKey) throw error;
      return false;
    }
    try {
      await this.outbox.change(fileChange(copy.tenantId, 'FILE_DONE'), (own) => own.file.create({ data: copy }), shownFile);
      return true;
    } catch (error) {
      // Removed only after a refusal. After any other error the row may have been committed.
      if (error instanceof AppError) await this.blobDeletion.remove(copy.blobKey);
      throw error;
    }
  }
}

/** Returns the copy with all fields of the source, but private and without expiry. */
function copyOf(source: StoredFile, name: string): StoredFile {
  const id = uuidv7();
  const now = new Date(timeOfId(id));
  return {
    ...source,
    id,
    name,
    nameKey: fileKey(name),
    public: false,
    cacheControl: null,
    blobKey: freshBlobKey({ tenantId: source.tenantId, id }),
    createdAt: now,
    updatedAt: now,
    storedAt: now,
    expiresAt: null,
    sweepAt: null,
  };
}
