import { Field, ID, ObjectType } from '@nestjs/graphql';
import { MaxItems, PageItems } from '../../../common/bounds/list-size.js';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../../common/graphql/page.js';
import { Log } from './log.model.js';
import { DocumentLogSchema } from './schema.js';

const registerIn = DocumentLogSchema;

/** Of one batch. */
export const MAX_RECORDS = 2_000;

@ObjectType('LogsResult', { registerIn, description: 'A page of records.' })
export class LogsResult {
  @PageItems(MAX_LIMIT, DEFAULT_LIMIT)
  @Field(() => [Log], { nullable: 'itemsAndList', description: 'The items of this page.' })
  items: Log[];

  @Field(() => String, { nullable: true, description: 'Give it back, with the same filter, for the next page; null at the end.' })
  nextToken: string | null;
}

@ObjectType('CreateLogResult', { registerIn, description: 'The record that was stored.' })
export class CreateLogResult {
  @Field(() => Log, { nullable: true, description: 'The record, as it was stored.' })
  item: Log;

  @Field(() => ID, { nullable: true, description: 'Id of the record.' })
  itemId: string;
}

@ObjectType('Error', { registerIn, description: 'Why a record of a batch was not stored.' })
export class LogError {
  @Field(() => String, { nullable: true, description: 'Begins with the field that is wrong, such as input.3.documentId.' })
  message: string;
}

@ObjectType('CreateLogBatch', { registerIn, description: 'What became of one record: item and itemId, or error.' })
export class CreateLogBatch {
  @Field(() => Log, { nullable: true, description: 'The record, as it was stored.' })
  item?: Log | null;

  @Field(() => ID, { nullable: true, description: 'Id of the record.' })
  itemId?: string | null;

  @Field(() => LogError, { nullable: true, description: 'Why the record was not stored; null when it was.' })
  error?: LogError | null;
}

@ObjectType('CreateLogBatchResult', { registerIn, description: 'What became of the records of a batch.' })
export class CreateLogBatchResult {
  @MaxItems(MAX_RECORDS, { counted: 200 })
  @Field(() => [CreateLogBatch], { nullable: 'itemsAndList', description: 'One for each record, in the order of the input.' })
  results: CreateLogBatch[];
}
