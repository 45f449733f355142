import { Field, Float, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { MaxItems, PageItems } from '../../../common/bounds/list-size.js';
import { DateTime } from '../../../common/graphql/date-time.scalar.js';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../../common/graphql/page.js';
import { FileManagementSchema } from './schema.js';

const registerIn = FileManagementSchema;

export const MAX_ATTRIBUTES = 100;
/** Of filesWithExternalReference, which has no pages. */
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
  description: 'Whether the content of a file is there.',
  valuesMap: {
    uploading: { description: 'Created; content has not arrived yet.' },
    done: { description: 'Content is there and can be downloaded.' },
    error: { description: 'The last upload failed after its bytes flowed; see error. Earlier content stays.' },
    expired: { description: 'expiresAt has passed; the content is gone.' },
  },
});

@ObjectType('Author', { registerIn, description: 'Who made the last change, as the application told it.' })
export class FileAuthor {
  @Field(() => ID, { nullable: true, description: 'Id in the application.' })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'Name, as a person reads it.' })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'Email address, as the application gave it.' })
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'Such as an admin, user or customer role.' })
  profile?: string | null;
}

@ObjectType('Error', { registerIn, description: 'Why the last upload failed.' })
export class FileError {
  @Field(() => String, { nullable: true, description: 'A code for programs.' })
  code: string;

  @Field(() => String, { nullable: true, description: 'The reason, as a person reads it.' })
  message: string;
}

@ObjectType('Attribute', { registerIn, description: 'A name and value that the application keeps with a file.' })
export class FileAttribute {
  @Field(() => String, { nullable: true, description: 'Unique within its file.' })
  name: string;

  @Field(() => String, { nullable: true, description: 'Null when the attribute has none.' })
  value: string | null;
}

@ObjectType('File', { registerIn, description: 'A file: what is known about it, and where its content is.' })
export class File {
  @Field(() => ID, { nullable: true, description: 'Permanent; UUIDv7.' })
  id: string;

  @Field(() => String, { nullable: true, description: 'Name, as a person reads it; also the default name of a download.' })
  name: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Always true; currently unused.' })
  active: boolean;

  @Field(() => String, { nullable: true, description: 'Free text of the application.' })
  comment: string | null;

  @Field(() => FileAuthor, { nullable: true, description: 'Who made the last change; null when nobody was named.' })
  author: FileAuthor | null;

  @Field(() => String, { nullable: true, description: 'MIME type.' })
  contentType: string;

  @Field(() => Float, { nullable: true, description: 'Bytes; null while there is no content.' })
  contentLength: number | null;

  @Field(() => FileStatus, { nullable: true, description: 'Whether content is there.' })
  status: FileStatus;

  @Field(() => FileError, { nullable: true, description: 'Set while status is error.' })
  error: FileError | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was created.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'The last change of a field or of the content.' })
  updatedAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'From then on the content is unavailable; null: never.' })
  expiresAt: Date | null;

  @Field(() => String, { nullable: true, description: "The application's own id of what this file belongs to." })
  externalReference: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Content is there, possibly from an earlier upload.' })
  uploaded: boolean;

  @Field(() => Boolean, { nullable: true, description: 'Whether everybody who knows the downloadUrl may read it.' })
  public: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'The Cache-Control of downloads of a public file, no-cache unless another was given; null for a protected one.',
  })
  cacheControl: string | null;

  @MaxItems(MAX_ATTRIBUTES, { counted: 10 })
  @Field(() => [FileAttribute], { nullable: 'itemsAndList', description: 'Up to 100 names and values of the application.' })
  attributes: FileAttribute[];

  @Field(() => String, {
    nullable: true,
    description:
      'SHA-256 of the content as stored, lower-case hex; null while there is none, and for content that came in parts.',
  })
  checksumSha256: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The ETag of the content, with its quotes, as downloads show it; null while there is none. A PUT to the uploadUrl with the ' +
      'header If-Match: ETAG replaces this content and no other (else 412), one with If-None-Match: * none at all.',
  })
  etag: string | null;
}

@ObjectType('FilesResult', { registerIn, description: 'A page of files.' })
export class FilesResult {
  @PageItems(MAX_LIMIT, DEFAULT_LIMIT)
  @Field(() => [File], { nullable: 'itemsAndList', description: 'The items of this page.' })
  items: File[];

  @Field(() => String, { nullable: true, description: 'Give it back, with the same filter, for the next page; null at the end.' })
  nextToken: string | null;
}

@ObjectType('StorageUsed', { registerIn, description: 'What all files of the tenant add up to.' })
export class StorageUsed {
  @Field(() => Int, { nullable: true, description: 'Every file, with or without content.' })
  fileCount: number;

  @Field(() => Float, { nullable: true, description: 'Bytes of content held.' })
  fileSize: number;

  @Field(() => Float, { nullable: true, description: 'Bytes; every file that is not expired counts at least 131,072.' })
  billableFileSize: number;
}
