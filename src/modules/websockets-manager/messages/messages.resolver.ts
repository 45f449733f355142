import { Args, ID, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Limit, NextToken } from '../../../common/lists/page-of.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import type { Caller } from '../../../common/auth/caller.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { Cheap } from '../../../common/scheduling/work-class.js';
import { DEFAULT_LIMIT, MAX_LIMIT, PAGE_END } from '../../../common/lists/page.js';
import { asCount, asSeconds } from '../../../common/base/amounts.js';
import { MessageFallback } from '../fallbacks/message-fallback.model.js';
import { CancellationService } from './cancellation.service.js';
import { GlobalPushService } from './global-push.service.js';
import { GlobalMessageInput, GlobalMessagesFilter, MessageInput, MessagesFilter } from './message.inputs.js';
import { PushMessagesService } from './push-messages.service.js';
import {
  GlobalMessage,
  GlobalMessagesQueryResult,
  MAX_RECIPIENTS,
  Message,
  MessagesQueryResult,
  PushMessageResult,
} from './message.model.js';
import { PushService } from './push.service.js';
import { CONFIRMATION_MS } from './message-states.js';

const MESSAGES = {
  messages:
    'Lists messages to recipients, newest first, including those of global messages (with globalMessageId). limit is 1 to ' +
    `${asCount(MAX_LIMIT)}; ${DEFAULT_LIMIT} by default. ${PAGE_END}`,
  globalMessages: `Lists global messages, newest first. limit is 1 to ${asCount(MAX_LIMIT)}; ${DEFAULT_LIMIT} by default. ${PAGE_END}`,
  pushMessage:
    `Sends a message to every connection of 1 to ${asCount(MAX_RECIPIENTS)} recipients. Stores it before ` +
    'returning; with expiresAt, it waits for offline recipients. CONFLICT if the idempotencyKey was used ' +
    'with other content; RATE_LIMITED if the tenant would exceed its limit of waiting messages.',
  pushGlobalMessage:
    'Sends a message to all connected recipients and, with expiresAt, to those that connect before then. CONFLICT if the ' +
    'idempotencyKey was used with other content; RATE_LIMITED if the tenant would exceed its limit of waiting messages.',
  cancelMessage:
    'Cancels a PENDING message and returns it. Stops sending it to new connections; a frame already sent may ' +
    'still arrive. A WAITING fallback becomes NOT_NEEDED. Returns a CANCELLED message otherwise unchanged. FAILED_PRECONDITION for a DELIVERED message, NOT_FOUND for an unknown id.',
  cancelGlobalMessage:
    'Cancels a global message and returns it. Stops sending it to new connections, and its PENDING messages become ' +
    `CANCELLED. Returns a cancelled one unchanged. FAILED_PRECONDITION ${asSeconds(CONFIRMATION_MS)} s after expiresAt, or ` +
    'after createdAt if it does not expire; NOT_FOUND for an unknown id.',
};

const nullable = true;

@Resolver(() => Message)
@AccessByScope('websockets-manager')
export class MessagesResolver {
  constructor(
    private readonly messageLists: PushMessagesService,
    private readonly pushes: PushService,
    private readonly globalPushes: GlobalPushService,
    private readonly cancellations: CancellationService,
  ) {}

  @Query(() => MessagesQueryResult, { nullable, description: MESSAGES.messages })
  messages(
    @CurrentCaller() caller: Caller,
    @Args('filter', { type: () => MessagesFilter, nullable, description: 'Filter of the messages; all messages by default.' })
    filter: MessagesFilter | null,
    @NextToken('filter') nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<MessagesQueryResult> {
    return this.messageLists.page(caller, filter ?? {}, { nextToken, limit });
  }

  @Query(() => GlobalMessagesQueryResult, { nullable, description: MESSAGES.globalMessages })
  globalMessages(
    @CurrentCaller() caller: Caller,
    @Args('filter', {
      type: () => GlobalMessagesFilter,
      nullable,
      description: 'Filter of the messages; all messages by default.',
    })
    filter: GlobalMessagesFilter | null,
    @NextToken('filter') nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<GlobalMessagesQueryResult> {
    return this.messageLists.globalPage(caller, filter ?? {}, { nextToken, limit });
  }

  @Cheap()
  @Mutation(() => PushMessageResult, { nullable, description: MESSAGES.pushMessage })
  pushMessage(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => MessageInput, description: 'Message with its recipients.' }) input: MessageInput,
  ): Promise<PushMessageResult> {
    return this.pushes.push(caller, input);
  }

  @Cheap()
  @Mutation(() => GlobalMessage, { nullable, description: MESSAGES.pushGlobalMessage })
  pushGlobalMessage(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => GlobalMessageInput, description: 'Message to push.' }) input: GlobalMessageInput,
  ): Promise<GlobalMessage> {
    return this.globalPushes.push(caller, input);
  }

  @Cheap()
  @Mutation(() => Message, { nullable, description: MESSAGES.cancelMessage })
  cancelMessage(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the message to cancel.' }) id: string,
  ): Promise<Message> {
    return this.cancellations.cancel(caller, id);
  }

  @Cheap()
  @Mutation(() => GlobalMessage, { nullable, description: MESSAGES.cancelGlobalMessage })
  cancelGlobalMessage(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the global message to cancel.' }) id: string,
  ): Promise<GlobalMessage> {
    return this.cancellations.cancelGlobal(caller, id);
  }

  @ResolveField(() => MessageFallback, { nullable, description: 'Mail in place of the message; null without one.' })
  fallback(@Parent() { id, fallbackOf }: Message): Promise<MessageFallback | null> {
    return fallbackOf?.(id) ?? Promise.resolve(null);
  }
}
