import { Args, ID, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Limit, NextToken } from '../../../common/lists/page-of.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import type { Caller } from '../../../common/auth/caller.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { DEFAULT_LIMIT, MAX_LIMIT, type Page, PAGE_END } from '../../../common/lists/page.js';
import { ActivityService } from '../../../common/lists/activity.service.js';
import { COUNTING, DAYS, MAX_COUNTED, Periods } from '../../../common/lists/periods.js';
import { Cheap, Heavy, HEAVY_BOUNDS } from '../../../common/scheduling/work-class.js';
import { asCount } from '../../../common/base/amounts.js';
import { LogsFilter } from '../records/logs-filter.input.js';
import { DocumentAttributeState, Log, LogEdit, MAX_DOCUMENT_ATTRIBUTES, MAX_EDITS } from '../models/log.model.js';
import type { DamagedRecord } from '../records/damaged-record.js';
import { CreateLogInput, CreateSingleDocumentLogsInput, UpdateLogInput } from './log.inputs.js';
import { LogUpdatesService } from './log-updates.service.js';
import { LogIngestService } from './log-ingest.service.js';
import { KEY_LENGTH, recordsCounted } from './logs.queries.js';
import { LogsService } from './logs.service.js';
import { LogActivity } from './activity.model.js';
import {
  CreateLogBatchResult,
  CreateLogResult,
  LogField,
  LogOrder,
  LogsResult,
  MAX_EXAMINED,
  MAX_RECORDS,
  MAX_VALUES,
} from './log-results.model.js';
import { WrittenLogsService } from './written-logs.service.js';

/** Schema descriptions of the operations on records. */
const LOGS = {
  logs:
    `Records, newest event first (by dateTime, then id) unless order says WRITTEN. limit is 1 to ${asCount(MAX_LIMIT)}, ` +
    `${asCount(DEFAULT_LIMIT)} unless given. ${PAGE_END} A page of order WRITTEN with a filter also ends once ` +
    `${asCount(MAX_EXAMINED)} records were examined. A record that was damaged in the database is null, with ` +
    'FAILED_PRECONDITION. BAD_USER_INPUT for a nextToken of another filter, order or tenant.',
  documentState:
    'The attributes of a document as they were at a time, by id, from the log; at is now unless given. Skips records whose ' +
    `attribute has no id. PAYLOAD_TOO_LARGE over ${asCount(MAX_DOCUMENT_ATTRIBUTES)} attributes. ` +
    HEAVY_BOUNDS,
  logActivity:
    `Counts records by the day of their dateTime, up to the newest ${asCount(MAX_COUNTED)} by dateTime. Those of later days, ` +
    `and those that were removed, do not count. ${HEAVY_BOUNDS}`,
  logValues:
    'The different values that a field has in all records, in the order of their code points, for a choice of values. Records ' +
    `without the field are left out; of values with the same first ${KEY_LENGTH} characters (code points), one is returned. Each value ` +
    'takes one look at an index, however many records have it.',
  logValuesStartsWith: `The beginning of the values, case-sensitive; up to ${KEY_LENGTH} characters. All values by default.`,
  createLog: 'Responds once the record is stored. CONFLICT when the idempotencyKey was used before with other content.',
  createLogBatch: `1 to ${asCount(MAX_RECORDS)} records. A record that breaks a rule gets an error, the others are stored.`,
  createSingleDocumentLogs:
    `Stores a record for each of 1 to ${asCount(MAX_RECORDS)} changes. A change that breaks a rule gets an error, the others are ` +
    'stored.',
  updateLog:
    'Changes comment, custom1 and custom2, and keeps their old values in edits. NOT_FOUND for an unknown id; ' +
    `FAILED_PRECONDITION when the record would have more than ${asCount(MAX_EDITS)} edits.`,
  edits: `The changes made by updateLog, oldest first; at most ${asCount(MAX_EDITS)}.`,
};

const nullable = true;
/** The memory of one statement over the records of a document; that of the returned rows is reserved when they are read. */
const STATE = { memoryBytes: 1024 * 1024, cost: 200 };

/** Has an error in the place of each damaged record. */
type PageOfLogs = Page<Log | DamagedRecord> & Pick<LogsResult, 'hasMore'>;

@Resolver(() => Log)
@AccessByScope('document-log')
export class LogsResolver {
  constructor(
    private readonly logs: LogsService,
    private readonly written: WrittenLogsService,
    private readonly ingest: LogIngestService,
    private readonly updates: LogUpdatesService,
    private readonly activity: ActivityService,
  ) {}

  @Query(() => LogsResult, { name: 'logs', nullable, description: LOGS.logs })
  async list(
    @CurrentCaller() caller: Caller,
    @Args('filter', { type: () => LogsFilter, nullable, description: 'Returns only what matches; left out, everything.' })
    filter: LogsFilter | null,
    @NextToken('filter and order') nextToken: string | null,
    @Limit() limit: number | null,
    @Args('order', { type: () => LogOrder, nullable, description: 'EVENT unless given.' }) order: LogOrder | null,
  ): Promise<PageOfLogs> {
    if (order === LogOrder.WRITTEN) return this.written.page(caller, filter, nextToken, limit);
    const page = await this.logs.page(caller, filter, nextToken, limit);
    return { ...page, hasMore: page.nextToken !== null };
  }

  @MaxItems(MAX_VALUES, { counted: DEFAULT_LIMIT })
  @Cheap()
  @Query(() => [String], { nullable: 'itemsAndList', description: LOGS.logValues })
  logValues(
    @CurrentCaller() caller: Caller,
    @Args('field', { type: () => LogField, description: 'The field.' }) field: LogField,
    @Args('startsWith', { type: () => String, nullable, description: LOGS.logValuesStartsWith }) startsWith: string | null,
    @Limit(DEFAULT_LIMIT, MAX_VALUES) limit: number | null,
  ): Promise<string[]> {
    return this.logs.values(caller, field, startsWith ?? '', limit);
  }

  @MaxItems(MAX_DOCUMENT_ATTRIBUTES, { counted: 1_000 })
  @Heavy(STATE)
  @Query(() => [DocumentAttributeState], { nullable: 'itemsAndList', description: LOGS.documentState })
  documentState(
    @CurrentCaller() caller: Caller,
    @Args('documentId', { type: () => ID, description: 'Id of the document.' }) documentId: string,
    @Args('documentType', { type: () => String, description: 'Type of the document, case-sensitive.' }) documentType: string,
    @Args('at', { type: () => DateTime, nullable, description: 'The time to look at; now unless given.' }) at: Date | null,
  ): Promise<(DocumentAttributeState | DamagedRecord)[]> {
    return this.logs.documentState(caller, { documentId, documentType, at });
  }

  @Heavy(COUNTING)
  @Query(() => LogActivity, { nullable, description: LOGS.logActivity })
  async logActivity(@CurrentCaller() caller: Caller, @Periods(DAYS) days: number | null): Promise<LogActivity> {
    const { countedFrom, periods } = await this.activity.count(caller, recordsCounted, { kind: DAYS, wanted: days });
    return { countedFrom, days: periods.map(({ from, counts }) => ({ from, records: counts[0]! })) };
  }

  @Cheap()
  @Mutation(() => CreateLogResult, { nullable, description: LOGS.createLog })
  createLog(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'The record to store.' }) input: CreateLogInput,
  ): Promise<CreateLogResult> {
    return this.ingest.create(caller, input);
  }

  @Cheap()
  @Mutation(() => CreateLogBatchResult, { nullable, description: LOGS.createLogBatch })
  createLogBatch(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => [CreateLogInput], description: `The records to store, 1 to ${asCount(MAX_RECORDS)}.` })
    input: CreateLogInput[],
  ): Promise<CreateLogBatchResult> {
    return this.ingest.createBatch(caller, input);
  }

  @Cheap()
  @Mutation(() => CreateLogBatchResult, { nullable, description: LOGS.createSingleDocumentLogs })
  createSingleDocumentLogs(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'The changes to store, and what they share.' }) input: CreateSingleDocumentLogsInput,
  ): Promise<CreateLogBatchResult> {
    return this.ingest.createOfDocument(caller, input);
  }

  @Cheap()
  @Mutation(() => Log, { nullable, description: LOGS.updateLog })
  updateLog(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'The record to change, and its new texts.' }) input: UpdateLogInput,
  ): Promise<Log> {
    return this.updates.update(caller, input);
  }

  @MaxItems(MAX_EDITS, { counted: 5 })
  @ResolveField('edits', () => [LogEdit], { nullable: 'itemsAndList', description: LOGS.edits })
  editsOf(@Parent() log: Log): Promise<LogEdit[]> {
    return log.loadEdits();
  }
}
