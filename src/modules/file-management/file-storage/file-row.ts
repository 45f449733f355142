// Room: Rows of files, their current blobs, and the pins on these.
import type { FileModel } from '../../../generated/sqlite/models.js';
import { Columns, type RowOf } from '../../../common/database/sql/columns.js';
import { timeOfId, uuidv7 } from '../../../common/base/ids.js';
import { indexKey } from '../../../common/base/text.js';
import { DEFAULT_CACHE_CONTROL } from '../content-rules/cache-control.js';
import type { Version } from '../content-rules/conditions.js';
import { storedJson } from '../../../common/base/json.js';
import type { CheckedFileFields, CheckedNewFile } from '../files/file.inputs.js';
import { File, type FileAttribute, type FileAuthor, FileStatus } from '../models/file.model.js';
import { KEY_LENGTH } from '../models/limits.js';

const UUID_LENGTH = 36;

export type FileRow = FileModel;

const FILE = new Columns<FileRow>('File', {
  id: 'key',
  tenantId: 'key',
  name: 'text',
  nameKey: 'key',
  comment: 'long text',
  author: 'long text',
  contentType: 'key',
  status: { enum: 'StoredFileStatus' },
  errorCode: 'key',
  errorMessage: 'key',
  externalReference: 'text',
  externalReferenceKey: 'key',
  public: 'boolean',
  cacheControl: 'key',
  attributes: 'long text',
  createdAt: 'time',
  updatedAt: 'time',
  expiresAt: 'time',
  sweepAt: 'time',
  expectedSha256: 'key',
  maxBytes: 'bigint',
  accept: 'text',
  blobKey: 'key',
  contentLength: 'bigint',
  checksumSha256: 'key',
  etag: 'key',
  disposition: 'key',
  storedAt: 'time',
});

/** Columns of a file that callers see. */
export const LISTED_FILE = FILE.without(
  'tenantId',
  'nameKey',
  'externalReferenceKey',
  'sweepAt',
  'expectedSha256',
  'disposition',
  'storedAt',
);
export type ListedFile = RowOf<typeof LISTED_FILE>;

const LATER = [
  'errorCode',
  'errorMessage',
  'blobKey',
  'contentLength',
  'checksumSha256',
  'etag',
  'disposition',
  'storedAt',
] as const;
/** Columns of a new file, which has no content yet. */
export const NEW_FILE = FILE.without(...LATER);
/** New file. Forbids values in the later columns, so that every query must select them. */
export type NewFile = RowOf<typeof NEW_FILE> & { [name in (typeof LATER)[number]]?: undefined };

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

/** Returns the indexed prefix of a name, folder or reference. An entry takes up to 2,100 of PostgreSQL's 2,704 bytes. */
export const fileKey = (text: string): string => indexKey(text, KEY_LENGTH);

/** Returns true if the key holds the whole text. Then no longer text has the same key. */
export const isWholeKey = (text: string): boolean => Array.from(fileKey(text)).length < KEY_LENGTH;

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

/** Returns the row of a new file. */
export function newRow(tenantId: string, fields: CheckedNewFile, contentType: string): NewFile {
  const id = uuidv7();
  const now = new Date(timeOfId(id));
  const expiresAt = fields.expiresIn ? new Date(now.getTime() + fields.expiresIn * 1000) : null;
  const stored = storedFields(fields);
  // Written out: in V8, building the object from several spreads takes far longer than the rest of this function.
  return {
    id,
    tenantId,
    name: stored.name ?? null,
    nameKey: stored.nameKey ?? null,
    comment: stored.comment ?? null,
    author: stored.author ?? null,
    externalReference: stored.externalReference ?? null,
    externalReferenceKey: stored.externalReferenceKey ?? null,
    contentType,
    status: FileStatus.uploading,
    public: fields.public,
    cacheControl: fields.cacheControl ?? null,
    attributes: attributesOf(fields),
    expectedSha256: fields.checksumSha256 ?? null,
    maxBytes: fields.maxBytes ?? null,
    accept: fields.accept ? JSON.stringify(fields.accept) : null,
    createdAt: now,
    updatedAt: now,
    expiresAt,
    sweepAt: expiresAt,
  };
}

/** Returns fields that are stored unchanged, with the keys of their indexes. */
export function storedFields({ name, comment, author, externalReference }: CheckedFileFields) {
  return {
    name,
    nameKey: name && fileKey(name),
    comment,
    author: author && JSON.stringify(author),
    externalReference,
    externalReferenceKey: externalReference && fileKey(externalReference),
  };
}

export function attributesOf({ attributes }: CheckedFileFields): string {
  return JSON.stringify((attributes ?? []).map(({ name, value }) => ({ name, value: value ?? null })));
}

/** Converts a row to the API's file. The status is expired from `expiresAt` on, even before the expiry job has run. */
export function toFile(row: ListedFile | FileRow | NewFile): File {
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
