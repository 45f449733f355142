import { Field, ID, InputType, Int } from '@nestjs/graphql';
import { TimeRange } from '../../../common/graphql/time-range.input.js';
import { FileStatus } from '../models/file.model.js';
import { FileManagementSchema } from '../models/schema.js';

const registerIn = FileManagementSchema;

@InputType('AuthorInput', { registerIn, description: 'Every field up to 1,024 characters.' })
class FileAuthorInput {
  @Field(() => ID, { nullable: true, description: 'Id in the application, up to 1,024 characters.' })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'Name, as a person reads it, up to 1,024 characters.' })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'Email address, up to 1,024 characters; not checked.' })
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'Such as an admin, user or customer role, up to 1,024 characters.' })
  profile?: string | null;
}

@InputType('AttributeInput', { registerIn, description: 'A name and value to keep with a file.' })
class FileAttributeInput {
  @Field(() => String, { description: 'Unique within its file; 1 to 1,024 characters.' })
  name: string;

  @Field(() => String, { nullable: true, description: 'Up to 4,096 characters.' })
  value?: string | null;
}

@InputType({ isAbstract: true })
class FileFields {
  @Field(() => String, {
    nullable: true,
    description: 'File name with extension where applicable; up to 1,024 characters, no control characters, no .. segment.',
  })
  name?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'MIME type, up to 255 characters; when left out it is derived from the extension, else application/octet-stream.',
  })
  contentType?: string | null;

  @Field(() => String, { nullable: true, description: 'Up to 4,096 characters.' })
  comment?: string | null;

  @Field(() => FileAuthorInput, { nullable: true, description: 'Who makes the change; replaces the whole author when given.' })
  author?: FileAuthorInput | null;

  @Field(() => String, { nullable: true, description: "The application's own id, up to 1,024 characters." })
  externalReference?: string | null;

  @Field(() => [FileAttributeInput], { nullable: 'itemsAndList', description: 'Up to 100. Replaces the whole list when given.' })
  attributes?: (FileAttributeInput | null)[] | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The Cache-Control of downloads, for a public file only (else BAD_USER_INPUT); no-cache unless given, and null makes it that ' +
      'again. Of public, private, no-cache, no-store, no-transform, must-revalidate, proxy-revalidate, immutable, and with =SECONDS, ' +
      '0 to 31,536,000, max-age, s-maxage, stale-while-revalidate, stale-if-error; each once, at least one of max-age, no-cache and ' +
      'no-store, up to 256 characters. Caches keep what they have for so long, though the file is replaced, deleted or made ' +
      'protected; for a file with expiresAt the seconds end there.',
  })
  cacheControl?: string | null;
}

@InputType('CreateFileInput', { registerIn, description: 'What a new file is to have. Everything can be left out.' })
export class CreateFileInput extends FileFields {
  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'true gives the content a permanent address that needs no signature. false unless given.',
  })
  public?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Seconds after which the content expires; 1 to 2,147,483,647. Sets expiresAt.',
  })
  expiresIn?: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'SHA-256 in hex. When given, content with another checksum is refused and the status becomes error.',
  })
  checksumSha256?: string | null;
}

@InputType('UpdateFileInput', { registerIn, description: 'What is left out stays as it is; null clears.' })
export class UpdateFileInput extends FileFields {
  @Field(() => ID, { nullable: true, description: 'The file to update.' })
  id?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Left out, it stays as it is; cannot be null.' })
  public?: boolean | null;
}

@InputType('DateTimeFilter', { registerIn, description: 'Both bounds are inclusive; either can be left out.' })
class DateTimeFilter extends TimeRange {}

@InputType('FilesFilter', { registerIn, description: 'All that is given must match.' })
export class FilesFilter {
  @Field(() => String, { nullable: true, description: 'When given, ids is ignored.' })
  id?: string | null;

  @Field(() => [String], { nullable: 'itemsAndList', description: 'Up to 1,000; an empty list matches nothing.' })
  ids?: (string | null)[] | null;

  @Field(() => Boolean, { nullable: true, defaultValue: true, description: 'Currently unused.' })
  active?: boolean | null;

  @Field(() => FileStatus, { nullable: true, description: 'Only files with this status.' })
  status?: FileStatus | null;

  @Field(() => String, { nullable: true, description: 'Files whose name begins with this, case-sensitive.' })
  namePrefix?: string | null;

  @Field(() => DateTimeFilter, { nullable: true, description: 'When files were created.' })
  createdAt?: DateTimeFilter | null;
}

@InputType('FilesWithExternalReferenceFilter', { registerIn, description: 'All that is given must match.' })
export class FilesWithExternalReferenceFilter {
  @Field(() => FileStatus, { nullable: true, description: 'Only files with this status.' })
  status?: FileStatus | null;
}
