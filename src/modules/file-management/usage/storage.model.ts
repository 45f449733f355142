import { Field, Float, Int, ObjectType } from '@nestjs/graphql';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { FileManagementSchema } from '../../../common/graphql/types/schemas.js';
import { asCount } from '../../../common/base/amounts.js';
import { LEAST_BILLED_BYTES } from '../models/limits.js';

const registerIn = FileManagementSchema;

@ObjectType('StorageUsed', { registerIn, description: 'The sums over all files of the tenant.' })
export class StorageUsed {
  @Field(() => Int, { nullable: true, description: 'The number of files, with or without content.' })
  fileCount: number;

  @Field(() => Float, { nullable: true, description: 'Bytes of stored content.' })
  fileSize: number;

  @Field(() => Float, {
    nullable: true,
    description: `Bytes; every unexpired file counts at least ${asCount(LEAST_BILLED_BYTES)}.`,
  })
  billableFileSize: number;
}

@ObjectType('StorageSample', { registerIn, description: 'The sums over all files of the tenant at some time.' })
export class StorageSample {
  @Field(() => DateTime, { nullable: true, description: 'The start of an hour; for the last sample, the current time.' })
  at: Date;

  @Field(() => Float, { nullable: true, description: 'Bytes of stored content.' })
  fileSize: number;

  @Field(() => Int, { nullable: true, description: 'The number of files, with or without content.' })
  fileCount: number;
}
