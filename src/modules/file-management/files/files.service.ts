// Room: Creates, finds, updates, copies, moves and deletes files, also for other services.
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { EventOutbox } from '../../../common/events/outbox/event-outbox.js';
import { Database } from '../../../common/database/database.js';
import { AppError, badInput, notFound, quoted } from '../../../common/base/app-error.js';
import { Cursors } from '../../../common/lists/cursors.js';
import type { Page } from '../../../common/lists/page.js';
import { checkInput, checkText, MAX_NAME } from '../../../common/base/text.js';
import { BlobDeletion } from '../file-storage/blob-deletion.service.js';
import { fileChange, shownFile } from '../file-storage/file-events.js';
import { FileQuotasService } from '../usage/file-quotas.service.js';
import { newFile, onlyPublic, typeOf } from './new-file.js';
import { FileWriterService } from './file-writer.service.js';
import { attributesOf, storedFields, toFile } from '../file-storage/file-row.js';
import { namesOfFiles, ownFile } from '../file-storage/files.queries.js';
import { pageOfFiles, wantedIds } from './files-page.queries.js';
import { type CheckedFileFields, type CreateFileInput, FilesFilter, UpdateFileInput } from './file.inputs.js';
import { MultipartService } from '../multipart/multipart.service.js';
import { type File, FilesOrder, type FileStatus, MAX_WITH_REFERENCE } from '../models/file.model.js';

const REFERENCE_STEP = 1_000;

/** Creates, finds, lists, updates and deletes files. Does not handle their content. */
@Injectable()
export class FilesService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly blobDeletion: BlobDeletion,
    private readonly multipart: MultipartService,
    private readonly quotas: FileQuotasService,
    private readonly writer: FileWriterService,
    private readonly outbox: EventOutbox,
  ) {}

  /** Creates a file without content. @throws PAYLOAD_TOO_LARGE at the tenant's limit of files */
  async create(caller: Caller, input: CreateFileInput | null | undefined): Promise<File> {
    const file = newFile(caller, input ?? {});
    await this.quotas.files.within(caller.tenantId, 1, () => this.writer.store(file));
    return toFile(file);
  }

  /** Returns a file, or null for an unknown id. */
  async find(caller: Caller, id: string): Promise<File | null> {
    checkText('ID', id, { max: MAX_NAME });
    const row = await ownFile(this.database, caller, id);
    return row && toFile(row);
  }

  /** Returns the names of those files that exist, by id. */
  namesOf(tenantId: string, ids: string[]): Promise<Map<string, string | null>> {
    return namesOfFiles(this.database, tenantId, ids);
  }

  async page(
    caller: Caller,
    { filter, order }: { filter: FilesFilter | null; order: FilesOrder | null },
    nextToken: string | null,
    limit: number | null,
  ): Promise<Page<File>> {
    const wanted = checkInput(FilesFilter.rules, filter ?? {}, 'filter');
    const size = { limit: this.cursors.limit(limit), budget: caller.budget };
    const ids = typeof wanted.id === 'string' ? undefined : wanted.ids;
    const bound = { ...wanted, active: undefined, ids, ...(order && order !== FilesOrder.NEWEST && { order }) };
    const context = { tenantId: caller.tenantId, operation: 'files', filter: bound };
    const { status, namePrefix, contains, folder } = wanted;
    const after = this.cursors.after(nextToken, context);
    const query = {
      tenantId: caller.tenantId,
      ...wantedIds(wanted),
      status,
      namePrefix,
      contains,
      folder,
      order: order ?? FilesOrder.NEWEST,
      after,
    };
    const { rows, more } = await pageOfFiles(this.database, query, size);
    const { items, ...page } = this.cursors.page(rows, more, (row) => row.id, context);
    return { ...page, items: items.map(toFile) };
  }

  /**
   * Returns all files with a reference, newest first. Reads them page by page.
   * @throws BAD_USER_INPUT for more than 10,000 files; PAYLOAD_TOO_LARGE if they are too large for one operation
   */
  async withReference(caller: Caller, reference: string, status: FileStatus | null, limit: number | null): Promise<File[]> {
    checkText('externalReference', reference, { max: MAX_NAME });
    if (limit !== null) this.cursors.limit(limit, MAX_WITH_REFERENCE);
    const maxFiles = limit ?? MAX_WITH_REFERENCE + 1;
    const query = { tenantId: caller.tenantId, externalReference: reference, status };
    const files: File[] = [];
    for (let after: string | undefined, isLast = false; !isLast && files.length < maxFiles;) {
      const size = { limit: Math.min(maxFiles - files.length, REFERENCE_STEP), budget: caller.budget };
      const { rows, more } = await pageOfFiles(this.database, { ...query, after }, size);
      for (const row of rows) files.push(toFile(row));
      after = more || undefined;
      isLast = more === false;
    }
    if (files.length > MAX_WITH_REFERENCE)
      throw badInput('limit', `is required: more than ${MAX_WITH_REFERENCE} files have this reference`);
    return files;
  }

  /** Changes fields of a file. Omitted fields are unchanged; null clears a field. */
  async update(caller: Caller, input: UpdateFileInput | null | undefined): Promise<File> {
    const changes = checkInput(UpdateFileInput.rules, input ?? {});
    if (changes.cacheControl && changes.public === false) throw onlyPublic();
    const before = await this.row(caller, changes.id);
    if (before.accept !== null && changes.contentType !== undefined) throw namedByUpload();
    const contentType =
      changes.contentType === undefined ? before.contentType : (changes.contentType ?? typeOf(nameAfter(changes, before)));
    const otherType = contentType.toLowerCase() !== before.contentType.toLowerCase();
    const needsPublic = Boolean(changes.cacheControl) && changes.public === undefined;
    const { count } = await this.database.of(caller.tenantId).file.updateMany({
      where: {
        id: before.id,
        // Content uploaded meanwhile must keep the type under which it was sent.
        ...(otherType && { blobKey: null }),
        ...(needsPublic && { public: true }),
      },
      data: {
        ...storedFields(changes),
        ...(changes.contentType !== undefined && { contentType }),
        ...(changes.public !== undefined && { public: changes.public }),
        ...((changes.cacheControl !== undefined || changes.public === false) && { cacheControl: changes.cacheControl ?? null }),
        ...(changes.attributes !== undefined && { attributes: attributesOf(changes) }),
        updatedAt: new Date(),
      },
    });
    const after = await this.row(caller, before.id);
    if (count > 0) return toFile(after);
    if (needsPublic && !after.public) throw onlyPublic();
    throw new AppError(
      'FAILED_PRECONDITION',
      `input.contentType: the content is ${after.contentType}, and its type cannot change; create a new file for another type`,
      { field: 'input.contentType' },
    );
  }

  /** Deletes the file and its content, and returns its last state. */
  async delete(caller: Caller, id: string | null | undefined): Promise<File> {
    if (typeof id !== 'string') throw badInput('id', 'is required');
    for (;;) {
      const row = await this.row(caller, id, 'id');
      // Conditional on the blob, so that content uploaded meanwhile does not lose its row.
      const where = { id: row.id, blobKey: row.blobKey };
      const { count } = await this.outbox.change(
        fileChange(caller.tenantId, 'FILE_DELETED'),
        (own) => own.file.deleteMany({ where }),
        (deleted) => (deleted.count > 0 ? shownFile(row) : undefined),
      );
      if (count === 0) continue;
      // After a failed blob removal the store is not called again; the expiry job removes the uploads later.
      if (await this.blobDeletion.remove(row.blobKey)) await this.multipart.removeAll(caller.tenantId, [row.id]);
      return toFile(row);
    }
  }

  private async row(caller: Caller, id: string, field = 'input.id') {
    checkText(field, id, { max: MAX_NAME });
    const row = await ownFile(this.database, caller, id);
    if (!row) throw notFound(`File ${quoted(id)}`);
    return row;
  }
}

const namedByUpload = (): AppError =>
  new AppError(
    'FAILED_PRECONDITION',
    'input.contentType: cannot be set for a file with accept, since each upload sends its type; leave it out',
    {
      field: 'input.contentType',
    },
  );

function nameAfter(changes: CheckedFileFields, before: { name: string | null }): string | null {
  return changes.name === undefined ? before.name : changes.name;
}
