import { Field, Float, Int, ObjectType } from '@nestjs/graphql';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { FileManagementSchema } from '../../../common/graphql/types/schemas.js';
import { asCount, asDays } from '../../../common/base/amounts.js';
import { KEEP_UPLOADS_MS } from '../models/limits.js';

const registerIn = FileManagementSchema;

/** The most parts of one upload. */
export const MAX_PARTS = 10_000;

@ObjectType('UploadedPart', { registerIn, description: 'A part that has arrived.' })
export class UploadedPart {
  @Field(() => Int, { nullable: true, description: `Number of the part, 1 to ${asCount(MAX_PARTS)}.` })
  partNumber: number;

  @Field(() => String, { nullable: true, description: 'The ETag header of the answer to the part.' })
  ETag: string;

  @Field(() => Float, { nullable: true, description: 'Bytes.' })
  size: number;
}

@ObjectType('MultipartUpload', { registerIn, description: 'An open upload in parts.' })
export class MultipartUpload {
  @Field(() => String, { nullable: true, description: 'Id of the upload, for the other operations.' })
  uploadId: string;

  @Field(() => String, { nullable: true, description: 'The file that the parts will be the content of.' })
  fileId: string;

  @Field(() => DateTime, {
    nullable: true,
    description: `When it was begun. An upload that is not completed in ${asDays(KEEP_UPLOADS_MS)} days is removed.`,
  })
  createdAt: Date;

  @MaxItems(MAX_PARTS)
  @Field(() => [UploadedPart], { nullable: 'itemsAndList', description: 'The parts that have arrived, by number.' })
  parts: UploadedPart[];
}
