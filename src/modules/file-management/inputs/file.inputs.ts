import { Field, Float, ID, InputType, Int } from '@nestjs/graphql';
import { AuthorInputFields } from '../../../common/graphql/types/author.js';
import { TimeRange } from '../../../common/graphql/types/time-range.input.js';
import { FileStatus, MAX_ATTRIBUTES } from '../models/file.model.js';
import { FileManagementSchema } from '../models/schema.js';
import { CONTAINS } from '../../../common/pages/page.js';
import { asBytes, asCount } from '../../../common/validation/amounts.js';
import { MAX_COMMENT, MAX_IDS, MAX_NAME } from '../../../common/validation/text.js';
import { MAX_CACHE_CONTROL, MAX_CACHE_SECONDS } from '../http/cache-control.js';
import { MAX_CONTENT_TYPE } from '../../../common/validation/content-type.js';
import { MAX_ACCEPTED, MAX_FILE_BYTES, MAX_LIFE_SECONDS } from '../models/limits.js';

const registerIn = FileManagementSchema;

@InputType('AuthorInput', { registerIn, description: `Every field up to ${asCount(MAX_NAME)} characters.` })
class FileAuthorInput extends AuthorInputFields {}

@InputType('AttributeInput', { registerIn, description: 'A name and value to keep with a file.' })
class FileAttributeInput {
  @Field(() => String, { description: `Unique within its file; 1 to ${asCount(MAX_NAME)} characters.` })
  name: string;

  @Field(() => String, { nullable: true, description: `Up to ${asCount(MAX_COMMENT)} characters.` })
  value?: string | null;
}

@InputType({ isAbstract: true })
class FileFields {
  @Field(() => String, {
    nullable: true,
    description: `File name with extension where applicable; up to ${asCount(MAX_NAME)} characters, no control characters, no .. segment.`,
  })
  name?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      `MIME type, up to ${MAX_CONTENT_TYPE} characters. By default it follows from the extension of the name, else ` +
      'application/octet-stream.',
  })
  contentType?: string | null;

  @Field(() => String, { nullable: true, description: `Up to ${asCount(MAX_COMMENT)} characters.` })
  comment?: string | null;

  @Field(() => FileAuthorInput, { nullable: true, description: 'Who makes the change; replaces the whole author when given.' })
  author?: FileAuthorInput | null;

  @Field(() => String, {
    nullable: true,
    description: `The application's id of the object that the file belongs to, up to ${asCount(MAX_NAME)} characters.`,
  })
  externalReference?: string | null;

  @Field(() => [FileAttributeInput], {
    nullable: 'itemsAndList',
    description: `Up to ${MAX_ATTRIBUTES}. Replaces the whole list when given.`,
  })
  attributes?: (FileAttributeInput | null)[] | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The Cache-Control of downloads, for public files only (else BAD_USER_INPUT); no-cache by default and after null. The ' +
      'directives are public, private, no-cache, no-store, no-transform, must-revalidate, proxy-revalidate, immutable, and, ' +
      `with =SECONDS from 0 to ${asCount(MAX_CACHE_SECONDS)}, max-age, s-maxage, stale-while-revalidate, stale-if-error. Each ` +
      `may stand once, one of max-age, no-cache and no-store must; up to ${MAX_CACHE_CONTROL} characters. Caches keep content ` +
      'for that long even if the file is replaced, deleted or made protected. The seconds of a file with expiresAt end there.',
  })
  cacheControl?: string | null;
}

@InputType('CreateFileInput', { registerIn, description: 'The fields of a new file. All can be left out.' })
export class CreateFileInput extends FileFields {
  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'true gives the content a permanent URL without a signature. false by default.',
  })
  public?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description: `Seconds after which the content expires; 1 to ${asCount(MAX_LIFE_SECONDS)}. Sets expiresAt.`,
  })
  expiresIn?: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'The expected SHA-256, in hex. Content with another checksum is refused, and the status becomes error.',
  })
  checksumSha256?: string | null;

  @Field(() => Float, {
    nullable: true,
    description: `The largest content, 1 byte to ${asBytes(MAX_FILE_BYTES)}; the PUT answers 413 to more. Holds for all parts together too.`,
  })
  maxBytes?: number | null;

  @Field(() => [String], {
    nullable: 'itemsAndList',
    description:
      `The types to take, such as image/png or image/*, 1 to ${MAX_ACCEPTED}. The Content-Type of the PUT, or contentType of ` +
      'completeMultipartUpload, names one of them and becomes the contentType, else 415. The first bytes must be of that type ' +
      'too: one that only a * takes must be recognized by them. Excludes contentType.',
  })
  accept?: (string | null)[] | null;
}

@InputType('UpdateFileInput', { registerIn, description: 'A field that is left out stays as it is; null clears it.' })
export class UpdateFileInput extends FileFields {
  @Field(() => ID, { nullable: true, description: 'The file to update.' })
  id?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Left out, it stays as it is; cannot be null.' })
  public?: boolean | null;
}

@InputType('DateTimeFilter', { registerIn, description: 'A range of time. Both bounds are inclusive; either can be left out.' })
class DateTimeFilter extends TimeRange {}

@InputType('FilesFilter', { registerIn, description: 'A file must match every given field.' })
export class FilesFilter {
  @Field(() => String, { nullable: true, description: 'Id of the file; overrides ids.' })
  id?: string | null;

  @Field(() => [String], { nullable: 'itemsAndList', description: `Up to ${asCount(MAX_IDS)}; an empty list matches nothing.` })
  ids?: (string | null)[] | null;

  @Field(() => Boolean, { nullable: true, defaultValue: true, description: 'Currently unused.' })
  active?: boolean | null;

  @Field(() => FileStatus, { nullable: true, description: 'Only files with this status.' })
  status?: FileStatus | null;

  @Field(() => String, { nullable: true, description: 'The beginning of the name, case-sensitive.' })
  namePrefix?: string | null;

  @Field(() => String, { nullable: true, description: `Any part of the name, ${CONTAINS}` })
  contains?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The prefix of a folder, such as a/b/: only files directly in it, whose names have no further slash. Empty: files whose ' +
      'names have no slash.',
  })
  folder?: string | null;

  @Field(() => DateTimeFilter, { nullable: true, description: 'When the file was created.' })
  createdAt?: DateTimeFilter | null;
}

@InputType('FilesWithExternalReferenceFilter', { registerIn, description: 'A file must match every given field.' })
export class FilesWithExternalReferenceFilter {
  @Field(() => FileStatus, { nullable: true, description: 'Only files with this status.' })
  status?: FileStatus | null;
}
