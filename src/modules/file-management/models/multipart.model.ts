import { Field, Float, Int, ObjectType } from '@nestjs/graphql';
import { MaxItems } from '../../../common/bounds/list-size.js';
import { DateTime } from '../../../common/graphql/date-time.scalar.js';
import { FileManagementSchema } from './schema.js';

const registerIn = FileManagementSchema;

/** Of one upload. */
export const MAX_PARTS = 10_000;

@ObjectType('UploadedPart', { registerIn, description: 'A part that has arrived.' })
export class UploadedPart {
  @Field(() => Int, { nullable: true, description: 'Number of the part, 1 to 10,000.' })
  partNumber: number;

  @Field(() => String, { nullable: true, description: 'As in the ETag header that answered the part.' })
  ETag: string;

  @Field(() => Float, { nullable: true, description: 'Bytes.' })
  size: number;
}

@ObjectType('MultipartUpload', { registerIn, description: 'An upload in parts that is under way.' })
export class MultipartUpload {
  @Field(() => String, { nullable: true, description: 'Names the upload in the other operations.' })
  uploadId: string;

  @Field(() => String, { nullable: true, description: 'The file that the parts will be the content of.' })
  fileId: string;

  @Field(() => DateTime, { nullable: true, description: 'What is not completed 7 days later is removed.' })
  createdAt: Date;

  @MaxItems(MAX_PARTS)
  @Field(() => [UploadedPart], { nullable: 'itemsAndList', description: 'The parts that have arrived, by number.' })
  parts: UploadedPart[];
}
