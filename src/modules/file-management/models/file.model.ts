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
  valuesMap: {
    uploading: { description: 'Created; content has not arrived yet.' },
    done: { description: 'Content is there and can be downloaded.' },
    error: { description: 'The last upload failed after its bytes flowed; see error. Earlier content stays.' },
    expired: { description: 'expiresAt has passed; the content is gone.' },
  },
});

@ObjectType('Author', { registerIn, description: 'Who made the last change, as the application told it.' })
export class FileAuthor {
  @Field(() => ID, { nullable: true })
  id?: string | null;

  @Field(() => String, { nullable: true })
  name?: string | null;

  @Field(() => String, { nullable: true })
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'Such as an admin, user or customer role.' })
  profile?: string | null;
}

@ObjectType('Error', { registerIn, description: 'Why the last upload failed.' })
export class FileError {
  @Field(() => String, { nullable: true })
  code: string;

  @Field(() => String, { nullable: true })
  message: string;
}

@ObjectType('Attribute', { registerIn, description: 'A name and value that the application keeps with a file.' })
export class FileAttribute {
  @Field(() => String, { nullable: true, description: 'Unique within its file.' })
  name: string;

  @Field(() => String, { nullable: true })
  value: string | null;
}

@ObjectType('File', { registerIn })
export class File {
  @Field(() => ID, { nullable: true, description: 'Permanent; UUIDv7.' })
  id: string;

  @Field(() => String, { nullable: true })
  name: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Always true; currently unused.' })
  active: boolean;

  @Field(() => String, { nullable: true })
  comment: string | null;

  @Field(() => FileAuthor, { nullable: true })
  author: FileAuthor | null;

  @Field(() => String, { nullable: true, description: 'MIME type.' })
  contentType: string;

  @Field(() => Float, { nullable: true, description: 'Bytes; null while there is no content.' })
  contentLength: number | null;

  @Field(() => FileStatus, { nullable: true })
  status: FileStatus;

  @Field(() => FileError, { nullable: true, description: 'Set while status is error.' })
  error: FileError | null;

  @Field(() => DateTime, { nullable: true })
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
  @Field(() => [FileAttribute], { nullable: 'itemsAndList' })
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

@ObjectType('FilesResult', { registerIn })
export class FilesResult {
  @PageItems(MAX_LIMIT, DEFAULT_LIMIT)
  @Field(() => [File], { nullable: 'itemsAndList' })
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
