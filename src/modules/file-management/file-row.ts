import type { FileModel } from '../../generated/sqlite/models.js';
import { File, type FileAttribute, type FileAuthor, FileStatus } from './models/file.model.js';

/** A file as it is stored. */
export type FileRow = FileModel;

export function isExpired(row: Pick<FileRow, 'expiresAt'>, now = Date.now()): boolean {
  return row.expiresAt !== null && row.expiresAt.getTime() <= now;
}

/** What callers see of a row. Expiry holds to the moment, whether or not the bytes were removed already. */
export function toFile(row: FileRow): File {
  const expired = isExpired(row);
  const uploaded = !expired && row.blobKey !== null;
  return {
    id: row.id,
    name: row.name,
    active: true,
    comment: row.comment,
    author: row.author === null ? null : (JSON.parse(row.author) as FileAuthor),
    contentType: row.contentType,
    contentLength: uploaded ? Number(row.contentLength) : null,
    status: expired ? FileStatus.expired : FileStatus[row.status],
    error: !expired && row.errorCode !== null ? { code: row.errorCode, message: row.errorMessage ?? '' } : null,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    expiresAt: row.expiresAt,
    externalReference: row.externalReference,
    uploaded,
    public: row.public,
    attributes: JSON.parse(row.attributes) as FileAttribute[],
    checksumSha256: uploaded ? row.checksumSha256 : null,
  };
}
