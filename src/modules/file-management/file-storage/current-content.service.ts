import { Injectable } from '@nestjs/common';
import { EventOutbox } from '../../../common/events/outbox/event-outbox.js';
import { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { AppError, notFound } from '../../../common/base/app-error.js';
import { isId } from '../../../common/base/ids.js';
import { SuspendedTenants } from '../../../common/tenants/suspended-tenants.js';
import { fileChange, shownFile } from './file-events.js';
import { BlobDeletion } from './blob-deletion.service.js';
import { BlobStoreUnavailable } from '../blob-store/blob-store.js';
import { contentSwitch, hasContent, type SwitchedContent } from './files.queries.js';
import { type FileRow, isExpired, versionOf } from './file-row.js';
import { checkIsReplaceable, type Conditions } from '../content-rules/conditions.js';
import { wrongType } from '../content-rules/accepted-types.js';

type WriteAlongside = (transaction: TenantTransaction) => Promise<unknown>;

/** The conditions of a switch, and another write in the same transaction. */
interface SwitchOptions {
  conditions?: Conditions;
  alongside?: WriteAlongside;
}

/** Content that is in the store, but does not belong to a file yet. */
export interface NewContent {
  blobKey: string;
  sizeBytes: number;
  checksumSha256: string | null;
  /** The ETag with quotes, as in the header. */
  etag: string;
  disposition: string | null;
  contentType: string;
}

/** Decides which blob is the content of a file. */
@Injectable()
export class CurrentContentService {
  constructor(
    private readonly database: Database,
    private readonly blobDeletion: BlobDeletion,
    private readonly suspended: SuspendedTenants,
    private readonly outbox: EventOutbox,
  ) {}

  /**
   * Returns a file that may get new content.
   * @throws NOT_FOUND; FORBIDDEN while the tenant is suspended; NOT_FOUND with status 410 once the file has expired
   */
  async forUpload(id: string): Promise<FileRow> {
    const { file } = this.database.acrossTenants('the signature of the URL, or an upload of the tenant, names the file');
    const row = isId(id) ? await file.findUnique({ where: { id } }) : null;
    if (!row) throw notFound(`File ${id}`);
    this.suspended.check(row.tenantId);
    if (isExpired(row)) throw expired();
    return row;
  }

  /**
   * Makes new content the content of the file, in one conditional write. The condition names the blob that is replaced, so each
   * of several concurrent uploads removes exactly the blob that it replaced.
   * @throws FAILED_PRECONDITION if the conditions do not hold; of two requests with the same condition only one succeeds
   */
  async switchTo(
    row: FileRow,
    { sizeBytes, ...content }: NewContent,
    { conditions = {}, alongside }: SwitchOptions = {},
  ): Promise<FileRow> {
    try {
      for (let current = row; ; current = await this.forUpload(row.id)) {
        if (current.blobKey === content.blobKey) return current; // switched by another completion of the same upload
        if (current.accept === null && current.contentType !== content.contentType) throw wrongType(current.contentType);
        checkIsReplaceable(conditions, versionOf(current));
        const now = new Date();
        const switched = { ...content, contentLength: BigInt(sizeBytes), storedAt: now };
        if (!(await this.write(current, switched, alongside))) continue;
        await this.blobDeletion.remove(current.blobKey);
        return { ...current, ...switched, ...DONE, updatedAt: now };
      }
    } catch (error) {
      // Removed only after a refusal: after any other error the write may have reached the database, and the row may name this
      // blob.
      if (error instanceof AppError) await this.blobDeletion.remove(content.blobKey);
      throw error;
    }
  }

  /** Returns whether the file got the content: not if it has changed since it was read. */
  private async write(current: FileRow, content: SwitchedContent, alongside?: WriteAlongside): Promise<boolean> {
    const { dialect } = this.database;
    const change = contentSwitch(dialect, current, content);
    const done = fileChange(current.tenantId, 'FILE_DONE');
    const isWanted = this.outbox.wants(done.tenantId, done.service, done.type);
    const after = { ...current, ...content, ...DONE, updatedAt: content.storedAt };
    const events = isWanted ? [{ ...done, ...shownFile(after) }] : [];
    if (!alongside) {
      const ids = await this.outbox.storeWith(change, events, (id) => hasContent(id, content));
      return ids.length > 0;
    }
    return this.database.of(current.tenantId).$transaction(async (own) => {
      const written = await own.$queryRaw<unknown[]>(change);
      if (written.length === 0) return false;
      await alongside(own);
      await this.outbox.store(own.acrossTenants('an event brings its tenant'), events);
      return true;
    });
  }

  /** Removes stored content that breaks a rule of its file, records the error, and throws it. Earlier content stays. */
  async refuse(row: FileRow, blobKey: string, refusal: AppError): Promise<never> {
    await this.blobDeletion.remove(blobKey);
    return this.fail(row, refusal);
  }

  /** Records an upload that failed after its bytes were received, and throws the error. Earlier content stays. */
  async fail({ id, tenantId }: Pick<FileRow, 'id' | 'tenantId'>, refusal: AppError): Promise<never> {
    const change = {
      where: { id, status: { not: 'expired' } },
      data: { status: 'error', errorCode: refusal.code, errorMessage: refusal.message, updatedAt: new Date() },
    } as const;
    await this.outbox.change(
      fileChange(tenantId, 'FILE_FAILED'),
      (own) => own.file.updateManyAndReturn(change),
      ([row]) => row && shownFile(row),
    );
    throw refusal;
  }
}

const DONE = { status: 'done', errorCode: null, errorMessage: null } as const;

export const expired = (): AppError => new AppError('NOT_FOUND', 'The file has expired', { status: 410 });

/** Translates an error of the store or the connection to the error that the caller gets. */
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
