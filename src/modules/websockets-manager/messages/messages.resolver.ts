import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Limit, NextToken } from '../../../common/lists/page-of.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import type { Caller } from '../../../common/auth/caller.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { Cheap } from '../../../common/scheduling/work-class.js';
import { DEFAULT_LIMIT, MAX_LIMIT, PAGE_END } from '../../../common/lists/page.js';
import { asCount, asSeconds } from '../../../common/base/amounts.js';
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

/** Schema descriptions of the operations on messages. */
const MESSAGES = {
  messages:
    'Messages to recipients, newest first, including those of global messages, which have a globalMessageId. limit is 1 to ' +
    `${asCount(MAX_LIMIT)}; the default is ${DEFAULT_LIMIT}. ${PAGE_END}`,
  globalMessages: `Global messages, newest first. limit is 1 to ${asCount(MAX_LIMIT)}; the default is ${DEFAULT_LIMIT}. ${PAGE_END}`,
  pushMessage:
    `Sends a message to every connection of 1 to ${asCount(MAX_RECIPIENTS)} recipients. It is stored before the mutation ` +
    'returns; with expiresAt it waits for recipients that are not connected. CONFLICT if the idempotencyKey was used before ' +
    'with other content; RATE_LIMITED if the tenant would have more waiting messages than it may have.',
  pushGlobalMessage:
    'Sends a message to all connected recipients and, with expiresAt, to those that connect before then. CONFLICT if the ' +
    'idempotencyKey was used before with other content; RATE_LIMITED if the tenant would have more waiting messages than it ' +
    'may have.',
  cancelMessage:
    'Cancels a PENDING message and returns it. It is not sent to connections that open later; a frame that was sent before may ' +
    'still arrive. Returns a CANCELLED message unchanged. FAILED_PRECONDITION for a DELIVERED message, NOT_FOUND for an unknown id.',
  cancelGlobalMessage:
    'Cancels a global message and returns it. It is not sent to connections that open later, and its PENDING messages become ' +
    `CANCELLED. Returns a cancelled one unchanged. FAILED_PRECONDITION ${asSeconds(CONFIRMATION_MS)} s after expiresAt, or ` +
    'after createdAt if it does not expire; NOT_FOUND for an unknown id.',
};

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

  @Query(() => MessagesQueryResult, { nullable, description: MESSAGES.messages })
  messages(
    @CurrentCaller() caller: Caller,
    @Args('filter', { type: () => MessagesFilter, nullable, description: 'Only messages that match; if left out, all.' })
    filter: MessagesFilter | null,
    @NextToken('filter') nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<MessagesQueryResult> {
    return this.messageLists.page(caller, filter ?? {}, { nextToken, limit });
  }

  @Query(() => GlobalMessagesQueryResult, { nullable, description: MESSAGES.globalMessages })
  globalMessages(
    @CurrentCaller() caller: Caller,
    @Args('filter', { type: () => GlobalMessagesFilter, nullable, description: 'Only messages that match; if left out, all.' })
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
    @Args('input', { type: () => MessageInput, description: 'The message and its recipients.' }) input: MessageInput,
  ): Promise<PushMessageResult> {
    return this.pushes.push(caller, input);
  }

  @Cheap()
  @Mutation(() => GlobalMessage, { nullable, description: MESSAGES.pushGlobalMessage })
  pushGlobalMessage(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => GlobalMessageInput, description: 'The message.' }) input: GlobalMessageInput,
  ): Promise<GlobalMessage> {
    return this.globalPushes.push(caller, input);
  }

  @Cheap()
  @Mutation(() => Message, { nullable, description: MESSAGES.cancelMessage })
  cancelMessage(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'The id of the message to cancel.' }) id: string,
  ): Promise<Message> {
    return this.cancellations.cancel(caller, id);
  }

  @Cheap()
  @Mutation(() => GlobalMessage, { nullable, description: MESSAGES.cancelGlobalMessage })
  cancelGlobalMessage(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'The id of the global message to cancel.' }) id: string,
  ): Promise<GlobalMessage> {
    return this.cancellations.cancelGlobal(caller, id);
  }
}
