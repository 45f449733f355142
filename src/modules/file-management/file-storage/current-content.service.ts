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

/** Preconditions of a switch, and a further write in its transaction. */
interface SwitchOptions {
  conditions?: Conditions;
  alongside?: WriteAlongside;
}

/** Stored content that no file refers to yet. */
export interface NewContent {
  blobKey: string;
  sizeBytes: number;
  checksumSha256: string | null;
  /** ETag with quotes, as in the header. */
  etag: string;
  disposition: string | null;
  contentType: string;
}

/** Switches a file from one blob to another. */
@Injectable()
export class CurrentContentService {
  constructor(
    private readonly database: Database,
    private readonly blobDeletion: BlobDeletion,
    private readonly suspended: SuspendedTenants,
    private readonly outbox: EventOutbox,
  ) {}

  /**
   * Returns a file that may receive new content.
   * @throws NOT_FOUND, with status 410 if the file has expired; FORBIDDEN for a suspended tenant
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
   * Makes new content current in one conditional update, which names the blob to replace. So each of several concurrent uploads
   * removes exactly the blob that it replaced.
   * @throws FAILED_PRECONDITION if a condition does not hold; of two requests with the same condition one succeeds
   */
  async switchTo(
    row: FileRow,
    { sizeBytes, ...content }: NewContent,
    { conditions = {}, alongside }: SwitchOptions = {},
  ): Promise<FileRow> {
    try {
      for (let current = row; ; current = await this.forUpload(row.id)) {
        if (current.blobKey === content.blobKey) return current; // another completion of this upload was first
        if (current.accept === null && current.contentType !== content.contentType) throw wrongType(current.contentType);
        checkIsReplaceable(conditions, versionOf(current));
        const now = new Date();
        const switched = { ...content, contentLength: BigInt(sizeBytes), storedAt: now };
        if (!(await this.write(current, switched, alongside))) continue;
        await this.blobDeletion.remove(current.blobKey);
        return { ...current, ...switched, ...DONE, updatedAt: now };
      }
    } catch (error) {
      // Removed only after a refusal. After any other error the update may have been committed, and the row may name this blob.
      if (error instanceof AppError) await this.blobDeletion.remove(content.blobKey);
      throw error;
    }
  }

  /** Returns false if the file changed since it was read. */
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

  /** Removes stored content that breaks a rule of its file, records the error and throws it. Earlier content is unchanged. */
  async refuse(row: FileRow, blobKey: string, refusal: AppError): Promise<never> {
    await this.blobDeletion.remove(blobKey);
    return this.fail(row, refusal);
  }

  /** Records an upload that failed after its content was received, and throws the error. Earlier content is unchanged. */
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

/** Translates an error of the store or the connection for the caller. */
export function asRefusal(error: unknown): unknown {
  if (error instanceof BlobStoreUnavailable) {
    const message = error.options.full
      ? 'The disk of the store is full; nothing was changed'
      : 'The store is unreachable; nothing was changed';
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
