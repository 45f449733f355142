import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/auth/caller.js';
import { Config } from '../../common/config/config.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { AppError } from '../../common/errors/app-error.js';
import { isId } from '../../common/ids/ids.js';
import { BlobRemover } from './blob-remover.service.js';
import { BlobStore } from './blob-store/blob-store.js';
import { abandonedOf, keepRows, type Transaction } from './blob-pins.queries.js';
import { type FileRow, isExpired, type StoredFile } from './file-row.js';

const SHOWN = 100;

/** A file that somebody wants to hold on to, and what a refusal calls it. */
export interface WantedFile {
  fileId: string;
  field: string;
}

/** The content of a file as it is at this moment; what is under the key never changes. */
export interface PinnedContent {
  blobKey: string;
  sizeBytes: number;
  contentType: string;
}

/** Lets other services hold on to the content of files, whatever becomes of the files. */
@Injectable()
export class AttachableContentService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly blobs: BlobStore,
    private readonly blobRemover: BlobRemover,
    private readonly config: Config,
  ) {}

  /**
   * Pins the content of the tenant's files for a holder, in the holder's own transaction.
   * @throws NOT_FOUND for an unknown file; FAILED_PRECONDITION for one without complete content
   */
  async pin(transaction: Transaction, { tenantId }: Caller, wanted: WantedFile[], holderId: string): Promise<PinnedContent[]> {
    const ids = [...new Set(wanted.map(({ fileId }) => fileId))].filter(isId);
    await keepRows(transaction, this.config.isPostgres, ids);
    const rows = await transaction.file.findMany({ where: { tenantId, id: { in: ids } } });
    const byId = new Map(rows.map((row) => [row.id, row]));
    const contents = wanted.map((one) => contentOf(byId.get(one.fileId), one));
    const keys = new Set(contents.map(({ blobKey }) => blobKey));
    await transaction.blobPin.createMany({ data: [...keys].map((blobKey) => ({ blobKey, holderId })) });
    return contents;
  }

  /** Lets go of everything that the holders hold, in their own transaction. Afterwards `removeAbandoned` takes the keys. */
  async unpin(transaction: Transaction, holderIds: string[]): Promise<string[]> {
    const pins = await transaction.blobPin.findMany({ where: { holderId: { in: holderIds } } });
    await transaction.blobPin.deleteMany({ where: { holderId: { in: holderIds } } });
    return [...new Set(pins.map(({ blobKey }) => blobKey))];
  }

  /** Removes what no file and no holder names any more. A crash before it leaves that to the reconciler. */
  async removeAbandoned(keys: string[]): Promise<void> {
    for (const key of await abandonedOf(this.prisma, keys)) await this.blobRemover.remove(key);
  }

  /** The content, opened when it is first read. */
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

function contentOf(row: FileRow | undefined, { fileId, field }: WantedFile): PinnedContent {
  const name = `File ${fileId.slice(0, SHOWN)}`;
  if (!row) throw new AppError('NOT_FOUND', `${field}: ${name} does not exist`, { field });
  if (!isDone(row)) {
    const status = isExpired(row) ? 'expired' : row.status;
    throw new AppError('FAILED_PRECONDITION', `${field}: ${name} is ${status}; it must be done`, { field });
  }
  return { blobKey: row.blobKey, sizeBytes: Number(row.contentLength), contentType: row.contentType };
}

function isDone(row: FileRow): row is StoredFile {
  return row.status === 'done' && row.blobKey !== null && !isExpired(row);
}
