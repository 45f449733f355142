import { Field, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { Log } from '../models/log.model.js';
import { DocumentLogSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = DocumentLogSchema;

/** Maximum records that a filtered page of order WRITTEN examines. */
export const MAX_EXAMINED = 5_000;
/** Maximum records per batch. */
export const MAX_RECORDS = 2_000;

export enum LogOrder {
  EVENT = 'EVENT',
  WRITTEN = 'WRITTEN',
}
registerEnumType(LogOrder, {
  name: 'LogOrder',
  registerIn,
  description: 'Sort order of records.',
  valuesMap: {
    EVENT: {
      description: 'Newest event first, by dateTime, then id. A record written late appears at its event time.',
    },
    WRITTEN: {
      description:
        'Order of writing, oldest first, regardless of dateTime. A record appears once it is sealed, after about a second. ' +
        'Later records always follow the returned page, so paging by nextToken neither skips nor repeats a record.',
    },
  },
});

/** Maximum distinct values per response. */
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
  description: 'Record field with few distinct values, usable in LogsFilter.',
  valuesMap: {
    ACTION: { description: 'Kind of change: action.' },
    ATTRIBUTE: { description: 'Id of the attribute: attributeId in filters.' },
    AUTHOR: { description: 'Id of the author: authorId in filters.' },
    DOCUMENT_TYPE: { description: 'Type of the document: documentType.' },
  },
});

@ObjectType('LogsResult', { registerIn, description: 'A page of records.' })
export class LogsResult extends pageOf(Log, {
  nextToken:
    'Cursor of the next page, or null on the last. Never null in order WRITTEN: store it, and pass it later to get newer records.',
}) {
  @Field(() => Boolean, {
    nullable: true,
    description:
      'True if the next page is available now. In order WRITTEN, false means that all sealed records were returned: poll again ' +
      'after a second or more. An empty page can have true if the filter skipped many records.',
  })
  hasMore: boolean;
}

@ObjectType('CreateLogResult', { registerIn, description: 'A stored record.' })
export class CreateLogResult {
  @Field(() => Log, { nullable: true, description: 'Stored record.' })
  item: Log;

  @Field(() => ID, { nullable: true, description: 'Id of the record.' })
  itemId: string;
}

@ObjectType('Error', { registerIn, description: 'Error of a record in a batch.' })
export class LogError {
  @Field(() => String, { nullable: true, description: 'Message, beginning with the invalid field, such as input.3.documentId.' })
  message: string;
}

@ObjectType('CreateLogBatch', { registerIn, description: 'Result for one record: item and itemId, or error.' })
export class CreateLogBatch {
  @Field(() => Log, { nullable: true, description: 'Stored record.' })
  item?: Log | null;

  @Field(() => ID, { nullable: true, description: 'Id of the record.' })
  itemId?: string | null;

  @Field(() => LogError, { nullable: true, description: 'Reason the record was not stored; null if it was stored.' })
  error?: LogError | null;
}

@ObjectType('CreateLogBatchResult', { registerIn, description: 'Results of a batch.' })
export class CreateLogBatchResult {
  @MaxItems(MAX_RECORDS, { counted: 200 })
  @Field(() => [CreateLogBatch], { nullable: 'itemsAndList', description: 'One result per record, in input order.' })
  results: CreateLogBatch[];
}
