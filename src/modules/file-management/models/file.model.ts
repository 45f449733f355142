import { Field, Float, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { AuthorFields } from '../../../common/graphql/types/author.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { KEY_LENGTH } from './limits.js';
import { FileManagementSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = FileManagementSchema;

export const MAX_ATTRIBUTES = 100;
/** Maximum number of files in filesWithExternalReference, which has no pages. */
export const MAX_WITH_REFERENCE = 10_000;

export enum FileStatus {
  uploading = 'uploading',
  done = 'done',
  error = 'error',
  expired = 'expired',
}
registerEnumType(FileStatus, {
  name: 'FileStatus',
  registerIn,
  description: 'Status of the content of a file.',
  valuesMap: {
    uploading: { description: 'Created; no content has arrived yet.' },
    done: { description: 'The content is complete and can be downloaded.' },
    error: { description: 'The last upload failed after its content had arrived; see error. Earlier content is unchanged.' },
    expired: { description: 'expiresAt has passed; the content can no longer be read.' },
  },
});

export enum FilesOrder {
  NEWEST = 'NEWEST',
  OLDEST = 'OLDEST',
  NAME = 'NAME',
  RECENTLY_UPDATED = 'RECENTLY_UPDATED',
  LARGEST = 'LARGEST',
  SMALLEST = 'SMALLEST',
  EXPIRES_SOON = 'EXPIRES_SOON',
}
registerEnumType(FilesOrder, {
  name: 'FilesOrder',
  registerIn,
  description: 'Sort order of files.',
  valuesMap: {
    NEWEST: { description: 'By creation time, latest first.' },
    OLDEST: { description: 'By creation time, earliest first.' },
    NAME: {
      description: `By the first ${KEY_LENGTH} characters of the name, ordered by code points; files without a name come last.`,
    },
    RECENTLY_UPDATED: { description: 'By updatedAt, latest first.' },
    LARGEST: { description: 'By content size, largest first; files without content come last.' },
    SMALLEST: { description: 'By content size, smallest first; files without content come last.' },
    EXPIRES_SOON: {
      description: 'By expiresAt, earliest first, including expired files; files that never expire come last.',
    },
  },
});

@ObjectType('Author', { registerIn, description: 'Author of the last change, as named by the application.' })
export class FileAuthor extends AuthorFields {}

@ObjectType('Error', { registerIn, description: 'Reason for the failure of the last upload.' })
export class FileError {
  @Field(() => String, { nullable: true, description: 'Machine-readable code.' })
  code: string;

  @Field(() => String, { nullable: true, description: 'Human-readable reason.' })
  message: string;
}

@ObjectType('Attribute', { registerIn, description: 'A name and value set by the application.' })
export class FileAttribute {
  @Field(() => String, { nullable: true, description: 'Unique within its file.' })
  name: string;

  @Field(() => String, { nullable: true, description: 'Value; null if none was set.' })
  value: string | null;
}

@ObjectType('File', { registerIn, description: 'A file: its metadata and the URLs of its content.' })
export class File {
  @Field(() => ID, { nullable: true, description: 'Permanent; UUIDv7.' })
  id: string;

  @Field(() => String, { nullable: true, description: 'File name, also used for downloads.' })
  name: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Always true; currently unused.' })
  active: boolean;

  @Field(() => String, { nullable: true, description: 'Free text set by the application.' })
  comment: string | null;

  @Field(() => FileAuthor, { nullable: true, description: 'Author of the last change; null if none was named.' })
  author: FileAuthor | null;

  @Field(() => String, { nullable: true, description: 'MIME type.' })
  contentType: string;

  @Field(() => Float, { nullable: true, description: 'Content size in bytes; null without content.' })
  contentLength: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Maximum content size in bytes, set at creation; null if not set.',
  })
  maxBytes: number | null;

  @Field(() => FileStatus, { nullable: true, description: 'Status of the content.' })
  status: FileStatus;

  @Field(() => FileError, { nullable: true, description: 'Reason for the status error; null otherwise.' })
  error: FileError | null;

  @Field(() => DateTime, { nullable: true, description: 'Creation time.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'Time of the last change of a field or the content.' })
  updatedAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'Time from which the content is unavailable; null if never.' })
  expiresAt: Date | null;

  @Field(() => String, { nullable: true, description: 'Id of a related object, set by the application.' })
  externalReference: string | null;

  @Field(() => Boolean, { nullable: true, description: 'True if the file has content, possibly of an earlier upload.' })
  uploaded: boolean;

  @Field(() => Boolean, { nullable: true, description: 'True if downloadUrl is permanent and needs no signature.' })
  public: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'Cache-Control of downloads of a public file, no-cache by default; null for a private file.',
  })
  cacheControl: string | null;

  @MaxItems(MAX_ATTRIBUTES, { counted: 10 })
  @Field(() => [FileAttribute], {
    nullable: 'itemsAndList',
    description: `Up to ${MAX_ATTRIBUTES} names and values set by the application.`,
  })
  attributes: FileAttribute[];

  @Field(() => String, {
    nullable: true,
    description: 'SHA-256 of the content, in lower-case hex; null without content, and for multipart uploads.',
  })
  checksumSha256: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'ETag of the content, in quotes, as in downloads; null without content. A PUT to the uploadUrl with the header ' +
      'If-Match: ETAG replaces only this content (else 412); with If-None-Match: * it never replaces content.',
  })
  etag: string | null;
}

@ObjectType('FilesResult', { registerIn, description: 'A page of files.' })
export class FilesResult extends pageOf(File, {
  nextToken: 'Pass it, with the same filter, to get the next page; null at the end.',
}) {}
