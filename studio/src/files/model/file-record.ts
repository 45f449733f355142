import type { File as ApiFile, FileStatus } from '../../../../clients/js/src/generated/files';
import type { Selected } from '../../../../clients/js/src/selection';
import type { StatusKind } from '../../ui/status';

/** Fields of a row of the list. */
const ROW_FIELDS = {
  id: true,
  name: true,
  contentLength: true,
  contentType: true,
  status: true,
  createdAt: true,
  updatedAt: true,
  expiresAt: true,
  public: true,
  externalReference: true,
} as const;

/** Lifetime of a content URL. */
export const ADDRESS_SECONDS = 3_600;

/** Fields of a row of the list, with the URL of its thumbnail. */
export const LISTED_FIELDS = { ...ROW_FIELDS, etag: true, downloadUrl: { expiresIn: ADDRESS_SECONDS } } as const;

/** Fields of the page of a file. */
export const FILE_FIELDS = {
  ...ROW_FIELDS,
  attributes: { name: true, value: true },
  author: { email: true, id: true, name: true, profile: true },
  cacheControl: true,
  checksumSha256: true,
  comment: true,
  error: { code: true, message: true },
  etag: true,
  uploaded: true,
} as const;

export type FileRow = Selected<ApiFile, typeof ROW_FIELDS>;
export type ListedFile = Selected<ApiFile, typeof LISTED_FIELDS>;
export type FileRecord = Selected<ApiFile, typeof FILE_FIELDS>;

/** Names of file states. */
export const STATES: readonly { status: FileStatus; kind: StatusKind; word: string }[] = [
  { status: 'done', kind: 'good', word: 'Ready' },
  { status: 'uploading', kind: 'wait', word: 'No content' },
  { status: 'error', kind: 'bad', word: 'Failed' },
  { status: 'expired', kind: 'none', word: 'Expired' },
];

export const stateOf = (status: FileStatus | null) => STATES.find((state) => state.status === status) ?? STATES[1]!;

/** Characters that change the reading direction of a name, and so can hide its extension. */
const REORDERING = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
const visible = (name: string) =>
  name.replace(REORDERING, (one) => `[U+${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`);

/** Returns the displayed name: relative to its folder, with direction marks visible. */
export function shownName(name: string | null, folder = ''): string {
  if (!name) return 'Untitled';
  return visible(name.startsWith(folder) && name.length > folder.length ? name.slice(folder.length) : name);
}

/** The last part of a name. */
export const baseName = (name: string | null): string => shownName(name?.split('/').findLast(Boolean) ?? name);
