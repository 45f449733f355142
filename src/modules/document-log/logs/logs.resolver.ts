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
import { activityOf } from '../../../common/graphql/types/activity.js';
import { DocumentLogSchema } from '../../../common/graphql/types/schemas.js';

const LogActivity = activityOf(DocumentLogSchema, {
  name: 'LogActivity',
  what: 'records',
  kind: DAYS,
  period: 'Number of records on one day.',
  counts: { records: 'Records whose dateTime is on this day.' },
});
type LogActivity = InstanceType<typeof LogActivity>;

const LOGS = {
  logs:
    `Lists records, newest event first (by dateTime, then id) unless order is WRITTEN. limit is 1 to ${asCount(MAX_LIMIT)}, ` +
    `${asCount(DEFAULT_LIMIT)} by default. ${PAGE_END} A filtered page of order WRITTEN also ends after examining ` +
    `${asCount(MAX_EXAMINED)} records. A record damaged in the database is null, with ` +
    'FAILED_PRECONDITION. BAD_USER_INPUT for a nextToken of another filter, order or tenant.',
  documentState:
    'Reconstructs the attributes of a document at a point in time from the log; now by default. Skips attributes ' +
    `without an id. PAYLOAD_TOO_LARGE over ${asCount(MAX_DOCUMENT_ATTRIBUTES)} attributes. ` +
    HEAVY_BOUNDS,
  logActivity:
    `Counts records per day of dateTime, up to the newest ${asCount(MAX_COUNTED)}. Excludes records of future days ` +
    `and removed records. ${HEAVY_BOUNDS}`,
  logValues:
    'Lists the distinct values of a field over all records, in code point order, for example to fill a selection list. ' +
    `Returns one of several values with the same first ${KEY_LENGTH} characters (code points). Costs one index lookup per value.`,
  logValuesStartsWith: `Prefix of the values, case-sensitive, up to ${KEY_LENGTH} characters. All values by default.`,
  createLog: 'Stores a record, and responds after the commit. CONFLICT if the idempotencyKey was used with other content.',
  createLogBatch: `Stores 1 to ${asCount(MAX_RECORDS)} records. An invalid record gets an error; the others are stored.`,
  createSingleDocumentLogs:
    `Stores a record for each of 1 to ${asCount(MAX_RECORDS)} changes. An invalid change gets an error; the others are ` +
    'stored.',
  updateLog:
    'Changes comment, custom1 and custom2, and stores the old values in edits. NOT_FOUND for an unknown id; ' +
    `FAILED_PRECONDITION if the record would exceed ${asCount(MAX_EDITS)} edits.`,
  edits: `Changes by updateLog, oldest first; at most ${asCount(MAX_EDITS)}.`,
};

const nullable = true;
/** Memory of one step over the records of a document. Reading the result reserves its own. */
const STATE = { memoryBytes: 1024 * 1024, cost: 200 };

/** Page with an error in place of each damaged record. */
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
    @Args('filter', { type: () => LogsFilter, nullable, description: 'Filter of the records; all records by default.' })
    filter: LogsFilter | null,
    @NextToken('filter and order') nextToken: string | null,
    @Limit() limit: number | null,
    @Args('order', { type: () => LogOrder, nullable, description: 'Sort order; EVENT by default.' }) order: LogOrder | null,
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
    @Args('field', { type: () => LogField, description: 'Field to list.' }) field: LogField,
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
    @Args('at', { type: () => DateTime, nullable, description: 'Point in time; now by default.' }) at: Date | null,
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
    @Args('input', { description: 'Record to store.' }) input: CreateLogInput,
  ): Promise<CreateLogResult> {
    return this.ingest.create(caller, input);
  }

  @Cheap()
  @Mutation(() => CreateLogBatchResult, { nullable, description: LOGS.createLogBatch })
  createLogBatch(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => [CreateLogInput], description: `Records to store, 1 to ${asCount(MAX_RECORDS)}.` })
    input: CreateLogInput[],
  ): Promise<CreateLogBatchResult> {
    return this.ingest.createBatch(caller, input);
  }

  @Cheap()
  @Mutation(() => CreateLogBatchResult, { nullable, description: LOGS.createSingleDocumentLogs })
  createSingleDocumentLogs(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'Changes to store, with their shared fields.' }) input: CreateSingleDocumentLogsInput,
  ): Promise<CreateLogBatchResult> {
    return this.ingest.createOfDocument(caller, input);
  }

  @Cheap()
  @Mutation(() => Log, { nullable, description: LOGS.updateLog })
  updateLog(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'Id of the record, and its new texts.' }) input: UpdateLogInput,
  ): Promise<Log> {
    return this.updates.update(caller, input);
  }

  @MaxItems(MAX_EDITS, { counted: 5 })
  @ResolveField('edits', () => [LogEdit], { nullable: 'itemsAndList', description: LOGS.edits })
  editsOf(@Parent() log: Log): Promise<LogEdit[]> {
    return log.loadEdits();
  }
}
