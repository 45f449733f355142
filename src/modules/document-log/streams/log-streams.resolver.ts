import { Args, ID, Int, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../common/auth/caller.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import type { Page } from '../../../common/lists/page.js';
import { Limit, NextToken } from '../../../common/lists/page-of.js';
import { Cheap, Heavy, HEAVY_BOUNDS } from '../../../common/scheduling/work-class.js';
import { asCount } from '../../../common/base/amounts.js';
import { CreateLogStreamInput, UpdateLogStreamInput } from './log-stream.inputs.js';
import { LogStream, LogStreamsResult, MAX_BATCH, MAX_STREAMS, MAX_WAITING } from './log-stream.model.js';
import { LogStreamsService } from './log-streams.service.js';

const UNKNOWN = 'NOT_FOUND for an unknown id.';
const READING = 'FORBIDDEN unless the key has the scope of the query logs, since a stream sends records.';

const LOG_STREAMS = {
  createLogStream:
    'Creates a stream. It sends sealed records at least once, in the order of writing, about a second after writing, in batches ' +
    `of up to ${asCount(MAX_BATCH)}. It omits later edits. BAD_USER_INPUT for a forbidden URL. ` +
    `PAYLOAD_TOO_LARGE over ${MAX_STREAMS} streams. ${READING}`,
  updateLogStream: `Updates a stream and retries at once. BAD_USER_INPUT for a forbidden URL. ${READING} ${UNKNOWN}`,
  rewindLogStream: `Moves a stream back or ahead to the records written from a time on. ${READING} ${UNKNOWN}`,
  rewindTo: 'Time of writing to start from; sending may start a few seconds earlier.',
  deleteLogStream: `Deletes a stream, and returns its last state. ${UNKNOWN}`,
  waiting: `Number of pending sealed records; ${asCount(MAX_WAITING)} means that many or more. ${HEAVY_BOUNDS}`,
  logStreams: `Lists the streams of the tenant, newest first; at most ${MAX_STREAMS}.`,
};

const nullable = true;
/** Memory and cost of counting the pending records of a stream. */
const WAITING = { memoryBytes: 64 * 1024, cost: MAX_WAITING / 100 };
const Id = (): ParameterDecorator => Args('id', { type: () => ID, description: 'Id of the stream.' });

@Resolver(() => LogStream)
@AccessByScope('document-log')
export class LogStreamsResolver {
  constructor(private readonly streams: LogStreamsService) {}

  @Cheap()
  @Mutation(() => LogStream, { nullable, description: LOG_STREAMS.createLogStream })
  createLogStream(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'Properties of the stream.' }) input: CreateLogStreamInput,
  ): Promise<LogStream> {
    return this.streams.create(caller, input);
  }

  @Cheap()
  @Mutation(() => LogStream, { nullable, description: LOG_STREAMS.updateLogStream })
  updateLogStream(
    @CurrentCaller() caller: Caller,
    @Id() id: string,
    @Args('input', { description: 'Properties to change.' }) input: UpdateLogStreamInput,
  ): Promise<LogStream> {
    return this.streams.update(caller, id, input);
  }

  @Cheap()
  @Mutation(() => LogStream, { nullable, description: LOG_STREAMS.rewindLogStream })
  rewindLogStream(
    @CurrentCaller() caller: Caller,
    @Id() id: string,
    @Args('to', { type: () => DateTime, description: LOG_STREAMS.rewindTo }) to: Date,
  ): Promise<LogStream> {
    return this.streams.rewind(caller, id, to);
  }

  @Cheap()
  @Mutation(() => LogStream, { nullable, description: LOG_STREAMS.deleteLogStream })
  deleteLogStream(@CurrentCaller() caller: Caller, @Id() id: string): Promise<LogStream> {
    return this.streams.delete(caller, id);
  }

  @Query(() => LogStreamsResult, { nullable, description: LOG_STREAMS.logStreams })
  logStreams(
    @CurrentCaller() caller: Caller,
    @NextToken() nextToken: string | null,
    @Limit(MAX_STREAMS, MAX_STREAMS) limit: number | null,
  ): Promise<Page<LogStream>> {
    return this.streams.page(caller, nextToken, limit);
  }

  @Heavy(WAITING)
  @ResolveField('waiting', () => Int, { nullable, description: LOG_STREAMS.waiting })
  waiting(@CurrentCaller() caller: Caller, @Parent() { position }: LogStream): Promise<number> {
    return this.streams.waiting(caller, position);
  }
}
