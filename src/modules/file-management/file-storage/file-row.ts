// Room: Rows of files, the current blob of each, and the readers that pin it.
import type { FileModel } from '../../../generated/sqlite/models.js';
import { uuidv7 } from '../../../common/base/ids.js';
import { DEFAULT_CACHE_CONTROL } from '../content-rules/cache-control.js';
import type { Version } from '../content-rules/conditions.js';
import { storedJson } from '../../../common/base/json.js';
import { File, type FileAttribute, type FileAuthor, FileStatus } from '../models/file.model.js';

const UUID_LENGTH = 36;

/** A file as it is stored. */
export type FileRow = FileModel;

/** The columns that callers see, without those that a new file has. */
type LaterColumns = Pick<FileRow, 'errorCode' | 'errorMessage' | 'blobKey' | 'checksumSha256' | 'etag'> & {
  contentLength: bigint | number | null;
};

/** The columns that callers see and that a new file already has. */
type NewColumns = Pick<
  FileRow,
  | 'id'
  | 'name'
  | 'comment'
  | 'author'
  | 'contentType'
  | 'status'
  | 'externalReference'
  | 'public'
  | 'cacheControl'
  | 'attributes'
  | 'createdAt'
  | 'updatedAt'
  | 'expiresAt'
  | 'accept'
> & { maxBytes: bigint | number | null };

/** The columns of a file that callers see. */
export type ListedFile = NewColumns & LaterColumns;

/** A new file. The types of the later columns forbid values, so that every query must select these columns. */
type NewFileRow = NewColumns & { [name in keyof LaterColumns]?: undefined };

/** A file that has content. */
export type StoredFile = FileRow & { blobKey: string };

/** The values of the content's columns in a file without content. */
export const NO_CONTENT = {
  blobKey: null,
  contentLength: null,
  checksumSha256: null,
  etag: null,
  disposition: null,
  storedAt: null,
} as const;

/** Makes a key that was never used before. The key names tenant and file, so that an orphaned blob can be recognized. */
export function freshBlobKey({ tenantId, id }: Pick<FileRow, 'tenantId' | 'id'>): string {
  return `${tenantId}/${id.slice(-2)}/${id}-${uuidv7()}`;
}

/** Returns the id of the file that a key was made for. */
export function fileIdOfKey(key: string): string {
  return key.split('/').at(-1)!.slice(0, UUID_LENGTH);
}

/** Returns the version that clients see, or nothing for a file without content. */
export function versionOf({ etag, storedAt }: Pick<FileRow, 'etag' | 'storedAt'>): Version | undefined {
  return etag === null || storedAt === null ? undefined : { etag, storedAt };
}

export function isExpired(row: Pick<FileRow, 'expiresAt'>, now = Date.now()): boolean {
  return row.expiresAt !== null && row.expiresAt.getTime() <= now;
}

/** Whether the file has complete content that can be read. */
export function isDone(row: FileRow): row is StoredFile {
  return row.status === 'done' && row.blobKey !== null && !isExpired(row);
}

/** Makes the file that callers see. A file is expired from `expiresAt` on, even if its bytes are not removed yet. */
export function toFile(row: ListedFile | NewFileRow): File {
  const { blobKey = null, errorCode = null, errorMessage, contentLength, checksumSha256 = null, etag = null } = row;
  const expired = isExpired(row);
  const uploaded = !expired && blobKey !== null;
  return {
    id: row.id,
    name: row.name,
    active: true,
    comment: row.comment,
    author: row.author === null ? null : storedJson<FileAuthor>(row.author, `author of file ${row.id}`),
    contentType: row.contentType,
    contentLength: uploaded ? Number(contentLength) : null,
    maxBytes: row.maxBytes === null ? null : Number(row.maxBytes),
    status: expired ? FileStatus.expired : FileStatus[row.status],
    error: !expired && errorCode !== null ? { code: errorCode, message: errorMessage ?? '' } : null,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    expiresAt: row.expiresAt,
    externalReference: row.externalReference,
    uploaded,
    public: row.public,
    cacheControl: row.public ? (row.cacheControl ?? DEFAULT_CACHE_CONTROL) : null,
    attributes: storedJson<FileAttribute[]>(row.attributes, `attributes of file ${row.id}`),
    checksumSha256: uploaded ? checksumSha256 : null,
    etag: uploaded ? etag : null,
  };
}
