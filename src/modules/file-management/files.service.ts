import { Injectable } from '@nestjs/common';
import mime from 'mime-types';
import type { Caller } from '../../common/auth/caller.js';
import { Config } from '../../common/config/config.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { AppError, badInput, notFound } from '../../common/errors/app-error.js';
import { Cursors, type Page } from '../../common/graphql/page.js';
import { timeOfId, uuidv7 } from '../../common/ids/ids.js';
import { checkInput, checkText, MAX_NAME } from '../../common/validation/text.js';
import { BlobRemover } from './blob-remover.service.js';
import { FileQuotasService } from './file-quotas.service.js';
import { fileKey, wantedIds } from './file-filter.js';
import { toFile } from './file-row.js';
import { ownRow } from './files.queries.js';
import { pageOfFiles } from './files-page.queries.js';
import type { CreateFileInput, FilesFilter, UpdateFileInput } from './inputs/file.inputs.js';
import { createFileRules, type FileFieldsGiven, filesFilterRules, updateFileRules } from './inputs/file.rules.js';
import { MultipartService } from './multipart.service.js';
import { type File, FileStatus, MAX_WITH_REFERENCE, type StorageUsed } from './models/file.model.js';

const REFERENCE_STEP = 1_000;
const UNKNOWN_TYPE = 'application/octet-stream';

/** The rules of files and their rows; content has its own service. */
@Injectable()
export class FilesService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
    private readonly cursors: Cursors,
    private readonly blobRemover: BlobRemover,
    private readonly multipart: MultipartService,
    private readonly quotas: FileQuotasService,
  ) {}

  /** @throws PAYLOAD_TOO_LARGE when the tenant has as many files as it may */
  async create(caller: Caller, input: CreateFileInput | null | undefined): Promise<File> {
    const { expiresIn, checksumSha256, ...given } = checkInput(createFileRules, input ?? {});
    if (given.cacheControl && !given.public) throw onlyPublic();
    const id = uuidv7();
    const now = new Date(timeOfId(id));
    const expiresAt = expiresIn ? new Date(now.getTime() + expiresIn * 1000) : null;
    const data = {
      ...stored(given),
      id,
      tenantId: caller.tenantId,
      contentType: given.contentType ?? typeOf(given.name),
      status: FileStatus.uploading,
      public: given.public ?? false,
      cacheControl: given.cacheControl,
      attributes: attributesOf(given),
      expectedSha256: checksumSha256,
      createdAt: now,
      updatedAt: now,
      expiresAt,
      sweepAt: expiresAt,
    };
    return toFile(await this.quotas.files.within(caller.tenantId, 1, () => this.prisma.file.create({ data })));
  }

  /** The file, or null when the tenant has none of that id. */
  async find(caller: Caller, id: string): Promise<File | null> {
    checkText('ID', id, { max: MAX_NAME });
    const row = await ownRow(this.prisma, caller, id);
    return row && toFile(row);
  }

  /** Newest first. */
  async page(caller: Caller, filter: FilesFilter | null, nextToken: string | null, limit: number | null): Promise<Page<File>> {
    const wanted = checkInput(filesFilterRules, filter ?? {}, 'filter');
    const size = { limit: this.cursors.limit(limit), budget: caller.budget };
    const bound = { ...wanted, active: undefined, ids: typeof wanted.id === 'string' ? undefined : wanted.ids };
    const context = { tenantId: caller.tenantId, operation: 'files', filter: bound };
    const { status, namePrefix } = wanted;
    const after = this.cursors.after(nextToken, context);
    const query = { tenantId: caller.tenantId, ...wantedIds(wanted), status, namePrefix, after };
    const { rows, more } = await pageOfFiles(this.prisma, this.config.isPostgres, query, size);
    const { items, ...page } = this.cursors.page(rows, more, (row) => row.id, context);
    return { ...page, items: items.map(toFile) };
  }

  /**
   * All files of a reference, newest first; they cannot be paged, but are read as if they were.
   * @throws BAD_USER_INPUT when there are over 10,000, PAYLOAD_TOO_LARGE when they are too much for one operation
   */
  async withReference(caller: Caller, reference: string, status: FileStatus | null, limit: number | null): Promise<File[]> {
    checkText('externalReference', reference, { max: MAX_NAME });
    if (limit !== null) this.cursors.limit(limit, MAX_WITH_REFERENCE);
    const most = limit ?? MAX_WITH_REFERENCE + 1;
    const query = { tenantId: caller.tenantId, externalReference: reference, status };
    const files: File[] = [];
    for (let after: string | undefined, isLast = false; !isLast && files.length < most;) {
      const size = { limit: Math.min(most - files.length, REFERENCE_STEP), budget: caller.budget };
      const { rows, more } = await pageOfFiles(this.prisma, this.config.isPostgres, { ...query, after }, size);
      for (const row of rows) files.push(toFile(row));
      after = typeof more === 'string' ? more : rows.at(-1)?.id;
      isLast = more === false;
    }
    if (files.length > MAX_WITH_REFERENCE)
      throw badInput('limit', `there are more than ${MAX_WITH_REFERENCE} files with this reference; ask for the newest of them`);
    return files;
  }

  /** In constant time: the sums are kept with the files. */
  async storageUsed({ tenantId }: Caller): Promise<StorageUsed> {
    const { _sum: sum } = await this.prisma.fileUsage.aggregate({
      where: { tenantId },
      _sum: { fileCount: true, fileSize: true, billableFileSize: true },
    });
    return {
      fileCount: Number(sum.fileCount ?? 0),
      fileSize: Number(sum.fileSize ?? 0),
      billableFileSize: Number(sum.billableFileSize ?? 0),
    };
  }

  /** Left out means unchanged, null means cleared. */
  async update(caller: Caller, input: UpdateFileInput | null | undefined): Promise<File> {
    const given = checkInput(updateFileRules, input ?? {});
    if (given.cacheControl && given.public === false) throw onlyPublic();
    const before = await this.row(caller, given.id);
    const contentType =
      given.contentType === undefined ? before.contentType : (given.contentType ?? typeOf(nameAfter(given, before)));
    const otherType = contentType.toLowerCase() !== before.contentType.toLowerCase();
    const needsPublic = Boolean(given.cacheControl) && given.public === undefined;
    const { count } = await this.prisma.file.updateMany({
      where: {
        tenantId: caller.tenantId,
        id: before.id,
        // Content that arrives meanwhile must find the type that it was sent under.
        ...(otherType && { blobKey: null }),
        ...(needsPublic && { public: true }),
      },
      data: {
        ...stored(given),
        ...(given.contentType !== undefined && { contentType }),
        ...(given.public !== undefined && { public: given.public }),
        ...((given.cacheControl !== undefined || given.public === false) && { cacheControl: given.cacheControl ?? null }),
        ...(given.attributes !== undefined && { attributes: attributesOf(given) }),
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

  /** Answers with the file as it was. Its bytes go with it. */
  async delete(caller: Caller, id: string | null | undefined): Promise<File> {
    if (typeof id !== 'string') throw badInput('id', 'is required');
    for (;;) {
      const row = await this.row(caller, id, 'id');
      // Conditional, so that content which arrives meanwhile is not left behind without its row.
      const { count } = await this.prisma.file.deleteMany({
        where: { tenantId: caller.tenantId, id: row.id, blobKey: row.blobKey },
      });
      if (count === 0) continue;
      // A store that just failed is not asked again: the sweeper removes the uploads then.
      if (await this.blobRemover.remove(row.blobKey)) await this.multipart.removeAll(row.id);
      return toFile(row);
    }
  }

  private async row(caller: Caller, id: string, field = 'input.id') {
    checkText(field, id, { max: MAX_NAME });
    const row = await ownRow(this.prisma, caller, id);
    if (!row) throw notFound(`File ${id.slice(0, 100)}`);
    return row;
  }
}

/** The fields that are stored as they come, with the keys that they are found by. */
function stored({ name, comment, author, externalReference }: FileFieldsGiven) {
  return {
    name,
    nameKey: name && fileKey(name),
    comment,
    author: author && JSON.stringify(author),
    externalReference,
    externalReferenceKey: externalReference && fileKey(externalReference),
  };
}

const onlyPublic = (): AppError =>
  badInput(
    'input.cacheControl',
    'is for public files only; caches never keep a protected one, so make it public or leave this out',
  );

function attributesOf({ attributes }: FileFieldsGiven) {
  return JSON.stringify((attributes ?? []).map(({ name, value }) => ({ name, value: value ?? null })));
}

function nameAfter(given: FileFieldsGiven, before: { name: string | null }): string | null {
  return given.name === undefined ? before.name : given.name;
}

function typeOf(name: string | null | undefined): string {
  return (name && mime.lookup(name)) || UNKNOWN_TYPE;
}
