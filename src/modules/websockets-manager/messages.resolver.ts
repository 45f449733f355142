import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Limit, NextToken } from '../../common/pages/page-arguments.js';
import { AccessByScope } from '../../common/graphql/access/access.guard.js';
import type { Caller } from '../../common/auth/caller.js';
import { CurrentCaller } from '../../common/graphql/access/caller.decorator.js';
import { PAGE_END, DEFAULT_LIMIT, MAX_LIMIT } from '../../common/pages/page.js';
import { CancellationService } from './records/cancellation.service.js';
import { GlobalPushService } from './pushes/global-push.service.js';
import { GlobalMessagesFilter, MessagesFilter } from './inputs/messages-filter.input.js';
import { GlobalMessageInput, MessageInput } from './inputs/push.inputs.js';
import { PushMessagesService } from './records/push-messages.service.js';
import {
  GlobalMessage,
  GlobalMessagesQueryResult,
  Message,
  MessagesQueryResult,
  PushMessageResult,
  MAX_RECIPIENTS,
} from './models/message.model.js';
import { PushService } from './pushes/push.service.js';
import { Cheap } from '../../common/work/work-class.js';
import { asCount, asSeconds } from '../../common/validation/amounts.js';
import { CONFIRMATION_MS } from './models/message-states.js';

const nullable = true;

@Resolver()
@AccessByScope('websockets-manager')
export class MessagesResolver {
  constructor(
    private readonly messageLists: PushMessagesService,
    private readonly pushes: PushService,
    private readonly globalPushes: GlobalPushService,
    private readonly cancellations: CancellationService,
  ) {}

  @Query(() => MessagesQueryResult, {
    nullable,
    description:
      'Messages to recipients, newest first, including those of global messages, which have a globalMessageId. limit is 1 to ' +
      `${asCount(MAX_LIMIT)}; the default is ${DEFAULT_LIMIT}. ${PAGE_END}`,
  })
  messages(
    @CurrentCaller() caller: Caller,
    @Args('filter', { type: () => MessagesFilter, nullable, description: 'Only messages that match; if left out, all.' })
    filter: MessagesFilter | null,
    @NextToken('filter') nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<MessagesQueryResult> {
    return this.messageLists.page(caller, filter ?? {}, { nextToken, limit });
  }

  @Query(() => GlobalMessagesQueryResult, {
    nullable,
    description: `Global messages, newest first. limit is 1 to ${asCount(MAX_LIMIT)}; the default is ${DEFAULT_LIMIT}. ${PAGE_END}`,
  })
  globalMessages(
    @CurrentCaller() caller: Caller,
    @Args('filter', {
      type: () => GlobalMessagesFilter,
      nullable,
      description: 'Only messages that match; if left out, all.',
    })
    filter: GlobalMessagesFilter | null,
    @NextToken('filter') nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<GlobalMessagesQueryResult> {
    return this.messageLists.globalPage(caller, filter ?? {}, { nextToken, limit });
  }

  @Cheap()
  @Mutation(() => PushMessageResult, {
    nullable,
    description:
      `Sends a message to every connection of 1 to ${asCount(MAX_RECIPIENTS)} recipients. It is stored before the mutation returns; with expiresAt ` +
      'it waits for recipients that are not connected. CONFLICT if the idempotencyKey was used before with other content; ' +
      'RATE_LIMITED if the tenant would have more waiting messages than it may have.',
  })
  pushMessage(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'The message and its recipients.' }) input: MessageInput,
  ): Promise<PushMessageResult> {
    return this.pushes.push(caller, input);
  }

  @Cheap()
  @Mutation(() => GlobalMessage, {
    nullable,
    description:
      'Sends a message to all connected recipients and, with expiresAt, to those that connect before then. CONFLICT if the ' +
      'idempotencyKey was used before with other content; RATE_LIMITED if the tenant would have more waiting messages than it ' +
      'may have.',
  })
  pushGlobalMessage(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'The message.' }) input: GlobalMessageInput,
  ): Promise<GlobalMessage> {
    return this.globalPushes.push(caller, input);
  }

  @Cheap()
  @Mutation(() => Message, {
    nullable,
    description:
      'Cancels a PENDING message and returns it. It is not sent to connections that open later; a frame on its way may still ' +
      'arrive. Returns a CANCELLED message unchanged. FAILED_PRECONDITION for a DELIVERED message, NOT_FOUND for an unknown id.',
  })
  cancelMessage(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'The id of the message to cancel.' }) id: string,
  ): Promise<Message> {
    return this.cancellations.cancel(caller, id);
  }

  @Cheap()
  @Mutation(() => GlobalMessage, {
    nullable,
    description:
      'Cancels a global message and returns it. It is not sent to connections that open later, and its PENDING messages become ' +
      `CANCELLED. Returns a cancelled one unchanged. FAILED_PRECONDITION ${asSeconds(CONFIRMATION_MS)} s after expiresAt, or after createdAt if it does ` +
      'not expire; NOT_FOUND for an unknown id.',
  })
  cancelGlobalMessage(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'The id of the global message to cancel.' }) id: string,
  ): Promise<GlobalMessage> {
    return this.cancellations.cancelGlobal(caller, id);
  }
}
