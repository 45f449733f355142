import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { EventOutbox } from '../../../common/events/outbox/event-outbox.js';
import { isId } from '../../../common/base/ids.js';
import { inParallel } from '../../../common/scheduling/concurrency.js';
import { checkInput } from '../../../common/base/text.js';
import type { FolderDeletionModel } from '../../../generated/sqlite/models.js';
import { BlobDeletion } from '../file-storage/blob-deletion.service.js';
import { fileChange, shownFile } from '../file-storage/file-events.js';
import { deletedFolderRules, deletedIdsRules, idsOrFolder } from './file.inputs.js';
import { MAX_DELETED_AT_ONCE } from '../models/limits.js';
import { MultipartService } from '../multipart/multipart.service.js';
import { lockFiles } from '../file-storage/blob-pins.queries.js';
import { filesBelow } from './files-below.queries.js';

/** Number of files per transaction. With a webhook their whole rows are read, which can be large. */
const FILES_PER_STEP = 100;
/** Number of concurrent blob removals. */
const BLOBS = 16;
const DELETED = 'FILE_DELETED';

/** Folder with the position where its deletion continues. */
export type FolderToDelete = Pick<FolderDeletionModel, 'tenantId' | 'folder' | 'askedAt'> & { from?: string };

/** Deletes files by ids or by folder: the first ones at once, the others in the background. */
@Injectable()
export class FileDeletionsService {
  constructor(
    private readonly database: Database,
    private readonly blobDeletion: BlobDeletion,
    private readonly multipart: MultipartService,
    private readonly outbox: EventOutbox,
  ) {}

  /** Deletes files by ids, or up to 1,000 of a folder. Returns the number deleted. */
  async delete({ tenantId }: Caller, ids: string[] | null | undefined, folder: string | null | undefined): Promise<number> {
    const wanted = idsOrFolder(ids, folder, 'to delete');
    return wanted.ids ? this.deleteIds(tenantId, wanted.ids) : this.deleteFolder(tenantId, wanted.folder);
  }

  private async deleteIds(tenantId: string, ids: string[]): Promise<number> {
    const known = [...new Set(checkInput(deletedIdsRules, ids, 'ids'))].filter(isId);
    let deleted = 0;
    for (let at = 0; at < known.length; at += FILES_PER_STEP) {
      deleted += await this.deleteRows(tenantId, known.slice(at, at + FILES_PER_STEP));
    }
    return deleted;
  }

  private async deleteFolder(tenantId: string, given: string): Promise<number> {
    const folder = checkInput(deletedFolderRules, given, 'folder');
    const whole: FolderToDelete = { tenantId, folder, askedAt: new Date() };
    let deleted = 0;
    while (deleted < MAX_DELETED_AT_ONCE) {
      const step = await this.deleteSome(whole);
      deleted += step.deleted;
      if (!step.more) return deleted;
    }
    await this.deleteRestLater(whole);
    return deleted;
  }

  /** Deletes up to 100 files of a folder. Returns whether more may remain. */
  async deleteSome(folder: FolderToDelete): Promise<{ deleted: number; more: boolean }> {
    const { tenantId, folder: prefix, askedAt: until, from } = folder;
    const wanted = { tenantId, folder: prefix, until, from, limit: FILES_PER_STEP };
    const found = await this.database.of(tenantId).$cells(filesBelow(this.database.dialect, wanted));
    if (found.length === 0) return { deleted: 0, more: false };
    folder.from = found.at(-1)![1] as string;
    const isStill = ({ name, updatedAt }: { name: string | null; updatedAt: Date }) =>
      updatedAt <= until && name !== null && name.startsWith(prefix);
    const deleted = await this.deleteRows(
      tenantId,
      found.map(([id]) => id as string),
      isStill,
    );
    return { deleted, more: found.length === FILES_PER_STEP };
  }

  /** Stores the folder for the background job, which also finds it after a crash. */
  private async deleteRestLater({ tenantId, folder, askedAt }: FolderToDelete): Promise<void> {
    const key = { tenantId, folderHash: createHash('sha256').update(folder).digest('hex') };
    await this.database.of(tenantId).folderDeletion.upsert({
      where: { tenantId_folderHash: key },
      create: { ...key, folder, askedAt },
      update: { askedAt },
    });
  }

  /** Deletes rows with their events, then blobs and uploads. Locked rows make each event show the last state. */
  private async deleteRows(
    tenantId: string,
    ids: string[],
    isStill: (row: { name: string | null; updatedAt: Date }) => boolean = () => true,
  ): Promise<number> {
    const isTold = this.outbox.wants(tenantId, 'file-management', DELETED);
    const rows = await this.database.of(tenantId).$transaction(async (own): Promise<{ id: string; blobKey: string | null }[]> => {
      await lockFiles(this.database.dialect, own, ids);
      const where = { id: { in: ids } };
      const some = { id: true, name: true, updatedAt: true, blobKey: true } as const;
      const told = isTold ? (await own.file.findMany({ where })).filter(isStill) : [];
      const going = isTold ? told : (await own.file.findMany({ where, select: some })).filter(isStill);
      await own.file.deleteMany({ where: { id: { in: going.map(({ id }) => id) } } });
      const events = told.map((row) => ({ ...fileChange(tenantId, DELETED), ...shownFile(row) }));
      await this.outbox.store(own.acrossTenants('an event brings its tenant'), events);
      return going;
    });
    // The daily reconciliation and the expiry job remove the remains of a failure or crash.
    await inParallel(rows, BLOBS, ({ blobKey }) => this.blobDeletion.remove(blobKey));
    await this.multipart.removeAll(
      tenantId,
      rows.map(({ id }) => id),
    );
    return rows.length;
  }
}
