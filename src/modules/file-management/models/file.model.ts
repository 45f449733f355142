import { Field, Float, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { AuthorFields } from '../../../common/graphql/types/author.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { KEY_LENGTH } from './limits.js';
import { FileManagementSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = FileManagementSchema;

export const MAX_ATTRIBUTES = 100;
/** The most files in filesWithExternalReference, which has no pages. */
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
  description: 'Whether a file has its content.',
  valuesMap: {
    uploading: { description: 'Created; content has not arrived yet.' },
    done: { description: 'Content is there and can be downloaded.' },
    error: { description: 'The last upload failed after its bytes had arrived; see error. Earlier content stays.' },
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
  description: 'The order of files.',
  valuesMap: {
    NEWEST: { description: 'The file that was created last comes first.' },
    OLDEST: { description: 'The file that was created first comes first.' },
    NAME: {
      description: `By the first ${KEY_LENGTH} characters of the names, in the order of their code points; files without a name come last.`,
    },
    RECENTLY_UPDATED: { description: 'The file with the latest updatedAt comes first.' },
    LARGEST: { description: 'By stored bytes, the most first; files without content come last.' },
    SMALLEST: { description: 'By stored bytes, the fewest first; files without content come last.' },
    EXPIRES_SOON: {
      description:
        'The file with the earliest expiresAt comes first, also one that has passed; files that never expire come last.',
    },
  },
});

@ObjectType('Author', { registerIn, description: 'Who made the last change, as the application told it.' })
export class FileAuthor extends AuthorFields {}

@ObjectType('Error', { registerIn, description: 'Why the last upload failed.' })
export class FileError {
  @Field(() => String, { nullable: true, description: 'A code for programs.' })
  code: string;

  @Field(() => String, { nullable: true, description: 'The reason, for people.' })
  message: string;
}

@ObjectType('Attribute', { registerIn, description: 'A name and a value of the application.' })
export class FileAttribute {
  @Field(() => String, { nullable: true, description: 'Unique within its file.' })
  name: string;

  @Field(() => String, { nullable: true, description: 'Null without a value.' })
  value: string | null;
}

@ObjectType('File', { registerIn, description: 'A file: its metadata, and the addresses of its content.' })
export class File {
  @Field(() => ID, { nullable: true, description: 'Permanent; UUIDv7.' })
  id: string;

  @Field(() => String, { nullable: true, description: 'File name; also the default name of a download.' })
  name: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Always true; currently unused.' })
  active: boolean;

  @Field(() => String, { nullable: true, description: 'Free text of the application.' })
  comment: string | null;

  @Field(() => FileAuthor, { nullable: true, description: 'Who made the last change; null if nobody was named.' })
  author: FileAuthor | null;

  @Field(() => String, { nullable: true, description: 'MIME type.' })
  contentType: string;

  @Field(() => Float, { nullable: true, description: 'Bytes; null while there is no content.' })
  contentLength: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'The largest content that its creator allows, in bytes; null without a limit of its own.',
  })
  maxBytes: number | null;

  @Field(() => FileStatus, { nullable: true, description: 'Whether the file has its content.' })
  status: FileStatus;

  @Field(() => FileError, { nullable: true, description: 'Set while status is error.' })
  error: FileError | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was created.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'When a field or the content last changed.' })
  updatedAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'When the content becomes unavailable; null: never.' })
  expiresAt: Date | null;

  @Field(() => String, { nullable: true, description: "The application's id of the object that this file belongs to." })
  externalReference: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether there is content, possibly of an earlier upload.' })
  uploaded: boolean;

  @Field(() => Boolean, { nullable: true, description: 'Whether anybody with the downloadUrl may read the content.' })
  public: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'The Cache-Control of downloads of a public file, no-cache by default; null for a protected file.',
  })
  cacheControl: string | null;

  @MaxItems(MAX_ATTRIBUTES, { counted: 10 })
  @Field(() => [FileAttribute], {
    nullable: 'itemsAndList',
    description: `Up to ${MAX_ATTRIBUTES} names and values of the application.`,
  })
  attributes: FileAttribute[];

  @Field(() => String, {
    nullable: true,
    description: 'SHA-256 of the content, in lower-case hex; null without content, and for content uploaded in parts.',
  })
  checksumSha256: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The ETag of the content, in quotes, as in downloads; null without content. A PUT to the uploadUrl with the header ' +
      'If-Match: ETAG replaces only this content (else 412), and with If-None-Match: * replaces none.',
  })
  etag: string | null;
}

@ObjectType('FilesResult', { registerIn, description: 'A page of files.' })
export class FilesResult extends pageOf(File, {
  nextToken: 'Pass it, with the same filter, to get the next page; null at the end.',
}) {}
