import { Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import type { Caller } from '../../../common/auth/caller.js';
import { eventLoop } from '../../../common/scheduling/event-loop.js';
import { Database } from '../../../common/database/database.js';
import { AppError, notFound } from '../../../common/base/app-error.js';
import { isId } from '../../../common/base/ids.js';
import { SuspendedTenants } from '../../../common/tenants/suspended-tenants.js';
import { asCount } from '../../../common/base/amounts.js';
import { ABANDONED } from '../../../common/scheduling/heavy-run.js';
import { checkInput } from '../../../common/base/text.js';
import { BlobStore } from '../blob-store/blob-store.js';
import { asRefusal } from '../file-storage/current-content.service.js';
import { FileUrls, type UrlSignature } from '../file-storage/file-urls.js';
import { Transfers } from '../content-rules/transfers.service.js';
import { archivedIdsRules, deletedFolderRules, type IdsOrFolder, idsOrFolder } from '../files/file.inputs.js';
import { MAX_ARCHIVED } from '../models/limits.js';
import { isExpired } from '../file-storage/file-row.js';
import { countArchived, idsBelow } from './archived-files.queries.js';
import { entryNames } from './entry-names.js';
import { type ZipEntry, zipStream, type ZipStream } from './zip-stream.js';

/** Archive stream with its name. */
export interface FileArchive extends ZipStream {
  name: string;
}

/** Streams files or folders as a ZIP archive. Archives are never stored. */
@Injectable()
export class FileArchivesService {
  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly urls: FileUrls,
    private readonly suspended: SuspendedTenants,
    private readonly transfers: Transfers,
  ) {}

  /** Returns the signed URL of an archive. @throws NOT_FOUND if no file has content; PAYLOAD_TOO_LARGE for too many files */
  async url(
    { tenantId }: Caller,
    ids: string[] | null | undefined,
    folder: string | null | undefined,
    expiresIn: number | null | undefined,
  ): Promise<string> {
    const wanted = idsOrFolder(ids, folder, 'to archive');
    const selection: IdsOrFolder = wanted.ids
      ? { ids: [...new Set(checkInput(archivedIdsRules, wanted.ids, 'ids'))].filter(isId) }
      : { folder: checkInput(deletedFolderRules, wanted.folder, 'folder') };
    const address = this.urls.archiveUrl(tenantId, selection, expiresIn);
    const { files, withContent } = await countArchived(this.database.of(tenantId), selection);
    if (files > MAX_ARCHIVED) throw tooMany();
    if (withContent === 0) throw nothingIn(selection);
    return address;
  }

  /**
   * Opens the archive of a signed URL. Acquires a transfer slot first, and stops when `left` is aborted.
   * @throws FORBIDDEN for an invalid or expired signature; SERVICE_UNAVAILABLE if no slot is free
   */
  async open(tenantId: string, selection: IdsOrFolder, url: UrlSignature, left: AbortSignal): Promise<FileArchive> {
    this.urls.checkArchive(tenantId, selection, url);
    this.suspended.check(tenantId);
    let sizeBytes = 0;
    const content = await this.transfers.send(tenantId, async () => {
      const zip = await this.zip(tenantId, selection, left);
      sizeBytes = zip.sizeBytes;
      return zip.content;
    });
    return { content: content!, sizeBytes, name: `${selection.folder?.split('/').at(-2) ?? 'files'}.zip` };
  }

  private async zip(tenantId: string, selection: IdsOrFolder, left: AbortSignal): Promise<ZipStream> {
    const turn = async (): Promise<void> => {
      if (eventLoop.sliceUsed) await eventLoop.yield(tenantId);
      if (left.aborted) throw ABANDONED;
    };
    const files = await this.filesOf(tenantId, selection);
    const names = await entryNames(files, selection.folder ?? '', turn);
    const entries = files.map(({ blobKey, contentLength, updatedAt }, at): ZipEntry => {
      return { name: names[at]!, sizeBytes: Number(contentLength), modifiedAt: updatedAt, open: () => this.openBlob(blobKey!) };
    });
    return zipStream(entries, turn);
  }

  /** Returns the downloadable files of a selection, sorted by name. */
  private async filesOf(tenantId: string, selection: IdsOrFolder) {
    const wanted = selection.ids ?? (await this.idsBelow(tenantId, selection.folder!));
    if (wanted.length > MAX_ARCHIVED) throw tooMany();
    const rows = await this.database.of(tenantId).file.findMany({
      where: { id: { in: wanted } },
      select: { id: true, name: true, blobKey: true, contentLength: true, updatedAt: true, expiresAt: true },
      orderBy: [{ name: 'asc' }, { id: 'asc' }],
    });
    const files = rows.filter((row) => row.blobKey !== null && !isExpired(row));
    if (files.length === 0) throw nothingIn(selection);
    return files;
  }

  private async idsBelow(tenantId: string, folder: string): Promise<string[]> {
    const rows = await this.database.of(tenantId).$cells(idsBelow(this.database.dialect, tenantId, folder));
    return rows.map(([id]) => id as string);
  }

  private async openBlob(blobKey: string): Promise<Readable> {
    try {
      return await this.blobs.open(blobKey);
    } catch (error) {
      throw asRefusal(error);
    }
  }
}

function tooMany(): AppError {
  const problem = `The folder has over ${asCount(MAX_ARCHIVED)} files, the limit of an archive; download its subfolders one by one`;
  return new AppError('PAYLOAD_TOO_LARGE', problem, { field: 'folder' });
}

const nothingIn = ({ ids, folder }: IdsOrFolder): AppError =>
  notFound(ids ? 'A file with content among these ids' : `A file with content in ${folder}`);
