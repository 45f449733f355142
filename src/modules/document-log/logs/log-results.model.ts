import { Field, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { Log } from '../models/log.model.js';
import { DocumentLogSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = DocumentLogSchema;

/** Records that a page of order WRITTEN looks at, with a filter. */
export const MAX_EXAMINED = 5_000;
/** The most records of one batch. */
export const MAX_RECORDS = 2_000;

export enum LogOrder {
  EVENT = 'EVENT',
  WRITTEN = 'WRITTEN',
}
registerEnumType(LogOrder, {
  name: 'LogOrder',
  registerIn,
  description: 'The order of records.',
  valuesMap: {
    EVENT: {
      description: 'Newest event first, by dateTime, then id; a record that is written late appears among the older ones.',
    },
    WRITTEN: {
      description:
        'In the order of writing, oldest first, whatever their dateTime; each appears once it is sealed, about a second later. ' +
        'No record ever appears before the end of a returned page, so following nextToken misses none and repeats none.',
    },
  },
});

/** The most distinct values that one answer has. */
export const MAX_VALUES = 1_000;

export enum LogField {
  ACTION = 'ACTION',
  ATTRIBUTE = 'ATTRIBUTE',
  AUTHOR = 'AUTHOR',
  DOCUMENT_TYPE = 'DOCUMENT_TYPE',
}
registerEnumType(LogField, {
  name: 'LogField',
  registerIn,
  description: 'A field of records with few different values, by which logs filters.',
  valuesMap: {
    ACTION: { description: 'What was done: action.' },
    ATTRIBUTE: { description: 'The id of the attribute: attributeId in filters.' },
    AUTHOR: { description: 'The id of the author: authorId in filters.' },
    DOCUMENT_TYPE: { description: 'The type of the document: documentType.' },
  },
});

@ObjectType('LogsResult', { registerIn, description: 'A page of records.' })
export class LogsResult extends pageOf(Log, {
  nextToken:
    'Pass it back, with the same filter and order, for the next page; null at the end of order EVENT. Order WRITTEN always has ' +
    'one: keep it, and pass it to get later records.',
}) {
  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether the next page is available now. In order WRITTEN, false means that everything sealed was returned: ask again ' +
      'after a second or more. A page can be empty and true, when the filter skips many records.',
  })
  hasMore: boolean;
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

@ObjectType('CreateLogBatch', { registerIn, description: 'The result for one record: item and itemId, or error.' })
export class CreateLogBatch {
  @Field(() => Log, { nullable: true, description: 'The record, as it was stored.' })
  item?: Log | null;

  @Field(() => ID, { nullable: true, description: 'Id of the record.' })
  itemId?: string | null;

  @Field(() => LogError, { nullable: true, description: 'Why the record was not stored; null when it was.' })
  error?: LogError | null;
}

@ObjectType('CreateLogBatchResult', { registerIn, description: 'The results of a batch.' })
export class CreateLogBatchResult {
  @MaxItems(MAX_RECORDS, { counted: 200 })
  @Field(() => [CreateLogBatch], { nullable: 'itemsAndList', description: 'One for each record, in the order of the input.' })
  results: CreateLogBatch[];
}
