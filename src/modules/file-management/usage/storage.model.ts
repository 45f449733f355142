import { Field, Float, Int, ObjectType } from '@nestjs/graphql';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { FileManagementSchema } from '../../../common/graphql/types/schemas.js';
import { asCount } from '../../../common/base/amounts.js';
import { LEAST_BILLED_BYTES } from '../models/limits.js';

const registerIn = FileManagementSchema;

@ObjectType('StorageUsed', { registerIn, description: 'Totals over all files of the tenant.' })
export class StorageUsed {
  @Field(() => Int, { nullable: true, description: 'Number of files, with or without content.' })
  fileCount: number;

  @Field(() => Float, { nullable: true, description: 'Total content size in bytes.' })
  fileSize: number;

  @Field(() => Float, {
    nullable: true,
    description: `Billed bytes: each unexpired file counts at least ${asCount(LEAST_BILLED_BYTES)}.`,
  })
  billableFileSize: number;
}

@ObjectType('StorageSample', { registerIn, description: 'Totals over all files of the tenant at one time.' })
export class StorageSample {
  @Field(() => DateTime, { nullable: true, description: 'Start of an hour; for the last sample, the current time.' })
  at: Date;

  @Field(() => Float, { nullable: true, description: 'Total content size in bytes.' })
  fileSize: number;

  @Field(() => Int, { nullable: true, description: 'Number of files, with or without content.' })
  fileCount: number;
}
