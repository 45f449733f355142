import { Args, ID, Int, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { AccessByScope } from '../../common/auth/access.guard.js';
import { MaxItems } from '../../common/bounds/list-size.js';
import type { Caller } from '../../common/auth/caller.js';
import { CurrentCaller } from '../../common/auth/caller.decorator.js';
import { DateTime } from '../../common/graphql/date-time.scalar.js';
import { PAGE_END } from '../../common/graphql/page.js';
import { CreateLogInput, CreateSingleDocumentLogsInput, UpdateLogInput } from './inputs/log.inputs.js';
import { LogsFilter } from './inputs/logs-filter.input.js';
import { LogEditsService } from './log-edits.service.js';
import { LogIngestService } from './log-ingest.service.js';
import { LogsService } from './logs.service.js';
import { DocumentAttributeState, Log, LogEdit, MAX_DOCUMENT_ATTRIBUTES, MAX_EDITS } from './models/log.model.js';
import { CreateLogBatchResult, CreateLogResult, LogsResult } from './models/log-results.model.js';

const nullable = true;

@Resolver(() => Log)
@AccessByScope('document-log')
export class LogsResolver {
  constructor(
    private readonly logs: LogsService,
    private readonly ingest: LogIngestService,
    private readonly edits: LogEditsService,
  ) {}

  @Query(() => LogsResult, {
    name: 'logs',
    nullable,
    description: `Records, newest event first (by dateTime, then id). limit is 1 to 1,000, 100 unless given. ${PAGE_END}`,
  })
  list(
    @CurrentCaller() caller: Caller,
    @Args('filter', { type: () => LogsFilter, nullable }) filter: LogsFilter | null,
    @Args('nextToken', { type: () => String, nullable }) nextToken: string | null,
    @Args('limit', { type: () => Int, nullable }) limit: number | null,
  ): Promise<LogsResult> {
    return this.logs.page(caller, filter, nextToken, limit);
  }

  @MaxItems(MAX_DOCUMENT_ATTRIBUTES, { counted: 1_000 })
  @Query(() => [DocumentAttributeState], {
    nullable: 'itemsAndList',
    description:
      'The attributes of a document as they were at a time, by id, from the log; at is now unless given. Records whose ' +
      'attribute has no id are passed over. PAYLOAD_TOO_LARGE over 10,000 attributes.',
  })
  documentState(
    @CurrentCaller() caller: Caller,
    @Args('documentId', { type: () => ID }) documentId: string,
    @Args('documentType', { type: () => String }) documentType: string,
    @Args('at', { type: () => DateTime, nullable }) at: Date | null,
  ): Promise<DocumentAttributeState[]> {
    return this.logs.documentState(caller, { documentId, documentType, at });
  }

  @Mutation(() => CreateLogResult, {
    nullable,
    description: 'Answered once the record is stored. CONFLICT when the idempotencyKey came before with other content.',
  })
  createLog(@CurrentCaller() caller: Caller, @Args('input') input: CreateLogInput): Promise<CreateLogResult> {
    return this.ingest.create(caller, input);
  }

  @Mutation(() => CreateLogBatchResult, {
    nullable,
    description: '1 to 2,000 records. One that breaks a rule gets its error, the others are stored.',
  })
  createLogBatch(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => [CreateLogInput] }) input: CreateLogInput[],
  ): Promise<CreateLogBatchResult> {
    return this.ingest.createBatch(caller, input);
  }

  @Mutation(() => CreateLogBatchResult, {
    nullable,
    description: 'One record for each of 1 to 2,000 changes. One that breaks a rule gets its error, the others are stored.',
  })
  createSingleDocumentLogs(
    @CurrentCaller() caller: Caller,
    @Args('input') input: CreateSingleDocumentLogsInput,
  ): Promise<CreateLogBatchResult> {
    return this.ingest.createOfDocument(caller, input);
  }

  @Mutation(() => Log, {
    nullable,
    description:
      'Changes comment, custom1 and custom2, and keeps what they were in edits. NOT_FOUND for an unknown id; ' +
      'FAILED_PRECONDITION when the record would have more than 1,000 edits.',
  })
  updateLog(@CurrentCaller() caller: Caller, @Args('input') input: UpdateLogInput): Promise<Log> {
    return this.edits.update(caller, input);
  }

  @MaxItems(MAX_EDITS, { counted: 5 })
  @ResolveField('edits', () => [LogEdit], {
    nullable: 'itemsAndList',
    description: 'What updateLog changed, oldest first; at most 1,000.',
  })
  editsOf(@Parent() log: Log): Promise<LogEdit[]> {
    return log.loadEdits();
  }
}
