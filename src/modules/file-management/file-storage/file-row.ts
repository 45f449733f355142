// Room: Rows of files, their current blobs, and the pins on these.
import type { FileModel } from '../../../generated/sqlite/models.js';
import { uuidv7 } from '../../../common/base/ids.js';
import { DEFAULT_CACHE_CONTROL } from '../content-rules/cache-control.js';
import type { Version } from '../content-rules/conditions.js';
import { storedJson } from '../../../common/base/json.js';
import { File, type FileAttribute, type FileAuthor, FileStatus } from '../models/file.model.js';

const UUID_LENGTH = 36;

export type FileRow = FileModel;

/** Columns shown to callers and still empty in a new file. */
type LaterColumns = Pick<FileRow, 'errorCode' | 'errorMessage' | 'blobKey' | 'checksumSha256' | 'etag'> & {
  contentLength: bigint | number | null;
};

/** Columns shown to callers and already set in a new file. */
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

/** Columns shown to callers. */
export type ListedFile = NewColumns & LaterColumns;

/** New file. Forbids values in the later columns, so that every query must select them. */
type NewFileRow = NewColumns & { [name in keyof LaterColumns]?: undefined };

/** File with content. */
export type StoredFile = FileRow & { blobKey: string };

/** Column values of a file without content. */
export const NO_CONTENT = {
  blobKey: null,
  contentLength: null,
  checksumSha256: null,
  etag: null,
  disposition: null,
  storedAt: null,
} as const;

/** Generates a unique blob key. Contains tenant and file, so that an orphaned blob can be identified. */
export function freshBlobKey({ tenantId, id }: Pick<FileRow, 'tenantId' | 'id'>): string {
  return `${tenantId}/${id.slice(-2)}/${id}-${uuidv7()}`;
}

/** Returns the id of the file that a key was generated for. */
export function fileIdOfKey(key: string): string {
  return key.split('/').at(-1)!.slice(0, UUID_LENGTH);
}

/** Returns the version for preconditions, or undefined for a file without content. */
export function versionOf({ etag, storedAt }: Pick<FileRow, 'etag' | 'storedAt'>): Version | undefined {
  return etag === null || storedAt === null ? undefined : { etag, storedAt };
}

export function isExpired(row: Pick<FileRow, 'expiresAt'>, now = Date.now()): boolean {
  return row.expiresAt !== null && row.expiresAt.getTime() <= now;
}

/** Returns true if the file has complete, readable content. */
export function isDone(row: FileRow): row is StoredFile {
  return row.status === 'done' && row.blobKey !== null && !isExpired(row);
}

/** Converts a row to the API's file. The status is expired from `expiresAt` on, even before the expiry job has run. */
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
