import { Field, InputType, Int } from '@nestjs/graphql';
import { MAX_CONTENT_TYPE } from '../../../common/validation/content-type.js';
import { FileManagementSchema } from '../models/schema.js';
import { asCount } from '../../../common/validation/amounts.js';
import { DEFAULT_PART_URL_SECONDS, MAX_URL_SECONDS } from '../models/limits.js';
import { MAX_PARTS } from '../models/multipart.model.js';

const registerIn = FileManagementSchema;

@InputType('initiateMultipartUploadInput', { registerIn, description: 'Names the file to upload.' })
export class InitiateMultipartUploadInput {
  @Field(() => String, { nullable: true, description: 'The file that the parts will be the content of.' })
  fileId?: string | null;
}

@InputType('generatePartUploadUrlInput', { registerIn, description: 'Names the part to upload.' })
export class GeneratePartUploadUrlInput {
  @Field(() => String, { description: 'The file of the upload.' })
  fileId: string;

  @Field(() => String, { description: 'The id that initiateMultipartUpload returned.' })
  uploadId: string;

  @Field(() => Int, { description: `1 to ${asCount(MAX_PARTS)}.` })
  partNumber: number;

  @Field(() => Int, {
    nullable: true,
    description: `Lifetime of the URL in seconds, 1 to ${asCount(MAX_URL_SECONDS)}; ${asCount(DEFAULT_PART_URL_SECONDS)} by default.`,
  })
  expiresIn?: number | null;
}

@InputType('PartETag', { registerIn, description: 'A part that arrived.' })
export class PartETag {
  @Field(() => Int, { description: `Number of the part, 1 to ${asCount(MAX_PARTS)}.` })
  partNumber: number;

  @Field(() => String, { description: 'The ETag header of the answer to the part, with or without its quotes.' })
  ETag: string;
}

@InputType('completeMultipartUploadInput', {
  registerIn,
  description: 'The upload to complete, and the parts that become the content.',
})
export class CompleteMultipartUploadInput {
  @Field(() => String, { description: 'The file of the upload.' })
  fileId: string;

  @Field(() => String, { description: 'The id that initiateMultipartUpload returned.' })
  uploadId: string;

  @Field(() => [PartETag], { description: 'In ascending order of partNumber; other parts are dropped.' })
  etags: PartETag[];

  @Field(() => String, {
    nullable: true,
    description:
      `MIME type, up to ${MAX_CONTENT_TYPE} characters. Required for a file with accept, of which it names one and becomes the ` +
      'contentType; of another file it must be the type, if given.',
  })
  contentType?: string | null;
}

@InputType('AbortMultipartUploadInput', { registerIn, description: 'Names the upload to abort.' })
export class AbortMultipartUploadInput {
  @Field(() => String, { description: 'The file of the upload.' })
  fileId: string;

  @Field(() => String, { description: 'The id that initiateMultipartUpload returned.' })
  uploadId: string;
}
