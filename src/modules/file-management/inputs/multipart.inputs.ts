import { Field, InputType, Int } from '@nestjs/graphql';
import { FileManagementSchema } from '../models/schema.js';

const registerIn = FileManagementSchema;

@InputType('initiateMultipartUploadInput', { registerIn })
export class InitiateMultipartUploadInput {
  @Field(() => String, { nullable: true, description: 'The file that the parts will be the content of.' })
  fileId?: string | null;
}

@InputType('generatePartUploadUrlInput', { registerIn })
export class GeneratePartUploadUrlInput {
  @Field(() => String)
  fileId: string;

  @Field(() => String)
  uploadId: string;

  @Field(() => Int, { description: '1 to 10,000.' })
  partNumber: number;

  @Field(() => Int, { nullable: true, description: 'Lifetime of the URL in seconds, 1 to 604,800; 3,600 unless given.' })
  expiresIn?: number | null;
}

@InputType('PartETag', { registerIn })
export class PartETag {
  @Field(() => Int)
  partNumber: number;

  @Field(() => String, { description: 'The ETag header that answered the part, with or without its quotes.' })
  ETag: string;
}

@InputType('completeMultipartUploadInput', { registerIn })
export class CompleteMultipartUploadInput {
  @Field(() => String)
  fileId: string;

  @Field(() => String)
  uploadId: string;

  @Field(() => [PartETag], { description: 'In order of partNumber; parts that are not named are dropped.' })
  etags: PartETag[];
}

@InputType('AbortMultipartUploadInput', { registerIn })
export class AbortMultipartUploadInput {
  @Field(() => String)
  fileId: string;

  @Field(() => String)
  uploadId: string;
}
