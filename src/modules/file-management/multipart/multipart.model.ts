import { Field, Float, Int, ObjectType } from '@nestjs/graphql';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { FileManagementSchema } from '../../../common/graphql/types/schemas.js';
import { asCount, asDays } from '../../../common/base/amounts.js';
import { KEEP_UPLOADS_MS } from '../models/limits.js';

const registerIn = FileManagementSchema;

/** Maximum number of parts per upload. */
export const MAX_PARTS = 10_000;

@ObjectType('UploadedPart', { registerIn, description: 'A received part.' })
export class UploadedPart {
  @Field(() => Int, { nullable: true, description: `Number of the part, 1 to ${asCount(MAX_PARTS)}.` })
  partNumber: number;

  @Field(() => String, { nullable: true, description: 'ETag header of the response to the part.' })
  ETag: string;

  @Field(() => Float, { nullable: true, description: 'Size in bytes.' })
  size: number;
}

@ObjectType('MultipartUpload', { registerIn, description: 'An open multipart upload.' })
export class MultipartUpload {
  @Field(() => String, { nullable: true, description: 'Id of the upload.' })
  uploadId: string;

  @Field(() => String, { nullable: true, description: 'Id of the file that receives the content.' })
  fileId: string;

  @Field(() => DateTime, {
    nullable: true,
    description: `Start time. An upload not completed in ${asDays(KEEP_UPLOADS_MS)} days is removed.`,
  })
  createdAt: Date;

  @MaxItems(MAX_PARTS)
  @Field(() => [UploadedPart], { nullable: 'itemsAndList', description: 'Received parts, by number.' })
  parts: UploadedPart[];
}
